//! A Linux source tree on disk.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a tree cannot be compared.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The system refused to read a file or directory.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}: not a Linux source tree: {why}", path.display())]
    NotLinux {
        /// The place.
        path: PathBuf,
        /// What is missing.
        why: &'static str,
    },
    /// A file ends within a function.
    #[error(
        "{}:{line}: {name}() does not end: the file is cut off, or its braces do not match",
        path.display()
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// Line where the function begins, from 1.
        line: usize,
        /// The function.
        name: String,
    },
}

/// A source tree.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    version: String,
}

impl Tree {
    /// The tree at `root`.
    ///
    /// # Errors
    /// If that cannot be read, or is no Linux source tree, as far as its Makefile shows.
    pub fn open(root: &Path) -> Result<Self, TreeError> {
        let failed = |source| TreeError::Io { path: root.into(), source };
        let not_linux = |why| TreeError::NotLinux { path: root.into(), why };
        if !fs::metadata(root).map_err(failed)?.is_dir() {
            return Err(not_linux("not a directory; unpack it first"));
        }
        let Some(makefile) = read(&root.join("Makefile"))? else {
            let is_bare = root.join("HEAD").is_file() && root.join("objects").is_dir();
            return Err(not_linux(if is_bare {
                "a git repository without a work tree; `git worktree add` makes one"
            } else {
                "no Makefile"
            }));
        };
        let makefile = String::from_utf8_lossy(&makefile);
        let version =
            version(&makefile).ok_or_else(|| not_linux("its Makefile has no VERSION and PATCHLEVEL"))?;
        if !root.join("mm").is_dir() || !root.join("kernel").is_dir() {
            return Err(not_linux("no mm/ or no kernel/; the package with the headers is not enough"));
        }
        Ok(Self { root: root.into(), version })
    }

    /// Its version, as `make kernelversion` prints it: `6.12.117`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The place of `file` in it.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The contents of `file`; `None` if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, TreeError> {
        read(&self.path(file))
    }

    /// The names of the C files in `directory`, sorted; none if there is no such directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn sources(&self, directory: &str) -> Result<Vec<String>, TreeError> {
        let path = self.path(directory);
        let failed = |source| TreeError::Io { path: path.clone(), source };
        let entries = match fs::read_dir(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let is_c = Path::new(&name).extension().is_some_and(|e| e == "c" || e == "h");
            if let (true, Some(name)) = (is_c, name.to_str()) {
                files.push(format!("{directory}/{name}"));
            }
        }
        files.sort();
        Ok(files)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, TreeError> {
    let failed = |source| TreeError::Io { path: path.into(), source };
    match fs::metadata(path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Ok(found) if !found.is_file() => Err(failed(io::Error::other("not a file"))),
        Ok(_) => fs::read(path).map(Some).map_err(failed),
        Err(e) => Err(failed(e)),
    }
}

/// The version that a Makefile declares.
fn version(makefile: &str) -> Option<String> {
    let value = |key: &str| {
        makefile.lines().find_map(|line| Some(line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim()))
    };
    let number = |key| value(key).filter(|v| v.parse::<u32>().is_ok());
    let (major, minor) = (number("VERSION")?, number("PATCHLEVEL")?);
    let sub = number("SUBLEVEL").map(|sub| format!(".{sub}")).unwrap_or_default();
    Some(format!("{major}.{minor}{sub}{}", value("EXTRAVERSION").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_version_is_read_as_make_does() {
        let text = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\nNAME = X\n";
        assert_eq!(version(text).unwrap(), "6.12.117");
        assert_eq!(version(&text.replace("EXTRAVERSION =", "EXTRAVERSION = -rc3")).unwrap(), "6.12.117-rc3");
        assert_eq!(version("VERSION = 6\n"), None);
        assert_eq!(version("VERSION = six\nPATCHLEVEL = 1\n"), None);
        assert_eq!(version("PATCHLEVEL=12\nVERSION=6\n").unwrap(), "6.12");
    }
}
