//! No setting from outside may change what an exploration covers.

use thiserror::Error;

/// A variable of the environment that loom or shuttle would obey.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "the environment variable {variable} is set: loom and shuttle obey such variables, so that a run which calls \
     itself exhaustive may be cut short and still pass; unset it (limits are set by the options of this program)"
)]
pub struct ForeignSetting {
    /// Its name.
    pub variable: String,
}

/// Refuse to explore while a variable of loom (`LOOM_*`) or shuttle (`SHUTTLE_*`) is set.
///
/// # Errors
/// Names the first such variable in alphabetical order.
pub fn refuse_foreign_settings() -> Result<(), ForeignSetting> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    first_foreign(names).map_or(Ok(()), |variable| Err(ForeignSetting { variable }))
}

fn first_foreign(names: impl Iterator<Item = String>) -> Option<String> {
    names.filter(|name| name.starts_with("LOOM_") || name.starts_with("SHUTTLE_")).min()
}

#[cfg(test)]
mod tests {
    use super::first_foreign;

    fn first(names: &[&str]) -> Option<String> {
        first_foreign(names.iter().map(ToString::to_string))
    }

    #[test]
    fn only_settings_of_the_two_crates_are_refused() {
        assert_eq!(first(&["PATH", "RUST_LOG", "BLOOM_X", "LOOM"]), None);
        assert_eq!(first(&["PATH", "SHUTTLE_RANDOM_SEED"]).as_deref(), Some("SHUTTLE_RANDOM_SEED"));
        assert_eq!(first(&["SHUTTLE_X", "LOOM_MAX_DURATION"]).as_deref(), Some("LOOM_MAX_DURATION"));
    }
}
