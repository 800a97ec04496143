//! The page: well-formed, self-contained, and closed to whatever a file may hold.

use super::{corpus, fixtures, hostile};
use mmspec_traces::timeline::Timeline;
use mmspec_traces::{PageOptions, TraceFile, page};
use scraper::{Html, Selector};
use std::collections::HashSet;

fn drawn(file: &TraceFile) -> Html {
    Html::parse_document(&page(file, &PageOptions::default()))
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<scraper::ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

/// What a browser must find in the page of any file.
#[track_caller]
fn check(file: &TraceFile) {
    let html = drawn(file);
    assert_eq!(html.errors, Vec::<String>::new());
    assert_eq!(format!("{:?}", html.quirks_mode), "NoQuirks");

    // Nothing is fetched, and nothing runs but the page's own script.
    assert!(select(&html, "[src], link, img, iframe, object, embed, base, form, use").is_empty());
    let scripts: Vec<_> = select(&html, "script").iter().map(|s| s.attr("type")).collect();
    assert_eq!(scripts, [Some("application/json"), None]);
    let handlers = |e: &scraper::ElementRef| e.value().attrs().any(|(name, _)| name.starts_with("on"));
    assert!(!select(&html, "*").iter().any(handlers));

    let ids: Vec<&str> = select(&html, "[id]").iter().filter_map(|e| e.attr("id")).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id twice in {ids:?}");
    for labelled in select(&html, "[aria-labelledby]") {
        let labels = labelled.attr("aria-labelledby").unwrap().split_whitespace();
        assert!(labels.into_iter().all(|id| ids.contains(&id)));
    }

    let timeline = Timeline::new(file);
    assert_eq!(select(&html, "g.step").len(), timeline.steps.len());
    assert_eq!(select(&html, "#listing tbody tr").len(), timeline.steps.len());
    assert_eq!(select(&html, "#body rect.hold").len(), timeline.holds.len());
    assert_eq!(select(&html, "#body path.edge").len(), timeline.edges.len());
    let data: String = select(&html, "script#trace")[0].text().collect();
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["steps"].as_array().unwrap().len(), timeline.steps.len());
}

#[test]
fn every_page_of_the_corpus_is_valid() {
    for (path, file) in corpus() {
        println!("{}", path.display());
        check(&file);
    }
}

#[test]
fn a_file_cannot_add_anything_to_its_page() {
    for text in [
        "</script><script>document.documentElement.dataset.error = 'in'</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onclick='alert(1)",
        "<!-- <script> --> ]]> </title></style></svg>",
        "\u{0}\u{7}\u{2028}\u{202e}&amp;&lt;&#60;",
        "javascript:alert(1)",
        "a\r\n\tb",
    ] {
        let file = hostile(text);
        check(&file);
        let html = drawn(&file);
        let title: String = select(&html, "title")[0].text().collect();
        let unseen = |c: char| if (c.is_control() && c != '\n') || c == '\u{202e}' { '?' } else { c };
        let said: String = text.chars().map(unseen).collect();
        assert!(title.contains(&said), "{said:?} is not in {title:?}");
    }
}

#[test]
fn a_file_without_steps_has_a_page() {
    let mut file = fixtures::resurrection();
    (file.events, file.schedule) = (Vec::new(), Vec::new());
    check(&file);
    file.tasks = Vec::new();
    check(&file);
}

#[test]
fn a_step_says_what_it_is_and_where_the_model_has_it() {
    let file = fixtures::resurrection();
    let html = drawn(&file);
    let rows: Vec<String> = select(&html, "#listing tbody tr").iter().map(|r| r.text().collect()).collect();
    let last = rows.last().unwrap();
    for text in [
        "6 (2)",
        "T2 get_task_mm",
        "mmget()",
        "atomic_inc(&mm0->mm_users)",
        "0 \u{2192} 1",
        "model/src/mm/exit.rs:10",
    ] {
        assert!(last.contains(text), "{text:?} is not in {last:?}");
    }
    assert_eq!(select(&html, "#body path.missing").len(), 1);
}

/// Relative luminance of a colour, as WCAG defines it.
fn luminance(hex: &str) -> f64 {
    let part = |i: usize| {
        let c = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn text_stands_out_from_its_ground_in_both_schemes() {
    let css = include_str!("../../src/page/page.css");
    let colours = regex::Regex::new(r"--([a-z0-9-]+): (#[0-9a-f]{6});").unwrap();
    let blocks: Vec<&str> = css.split(":root {").collect();
    for scheme in &blocks[1..3] {
        let block = &scheme[..scheme.find('}').unwrap()];
        let named: Vec<(&str, &str)> = colours
            .captures_iter(block)
            .map(|c| (c.get(1).unwrap().as_str(), c.get(2).unwrap().as_str()))
            .collect();
        let colour = |name: &str| named.iter().find(|(n, _)| *n == name).unwrap().1;
        let texts =
            named.iter().filter(|(n, _)| ["ink", "muted", "accent", "bad"].contains(n) || n.starts_with('t'));
        for (name, text) in texts {
            for ground in ["paper", "sheet", "cursor", "bad-paper"] {
                let (a, b) = (luminance(text), luminance(colour(ground)));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "--{name} on --{ground}: {contrast:.2}");
            }
        }
    }
}
