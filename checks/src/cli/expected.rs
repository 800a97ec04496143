//! The manifest file, which people edit: what is wrong with it, and where.

use super::error::CliError;
use mmspec::manifest::Manifest;
use std::fs;
use std::path::Path;

/// The manifest, as this program was built with it.
pub const TEXT: &str = include_str!("../../manifest.toml");
/// Where it stands.
pub const PATH: &str = "checks/manifest.toml";

/// The text of the manifest at `path`.
pub fn read(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(|source| CliError::Io { path: path.into(), done: "read", source })
}

/// The manifest `text` of `path`.
pub fn parse(text: &str, path: &Path) -> Result<Manifest, CliError> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        CliError::Manifest { path: path.into(), line, message: error.message().into() }
    })
}

/// Says that `name`, which `text` of `path` mentions, stands for nothing.
pub fn at(text: &str, path: &Path, name: &str) -> impl FnOnce(CliError) -> CliError {
    let quoted = format!("{name:?}");
    let line = 1 + text.lines().position(|line| line.contains(&quoted)).unwrap_or(0);
    let path = path.to_path_buf();
    move |error| CliError::Manifest { path, line, message: error.to_string() }
}
