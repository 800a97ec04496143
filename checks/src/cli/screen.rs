//! Standard output, whose reader may leave.

use super::error::CliError;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Standard output. Once its reader has gone (`mmspec list | head`), nothing is written any more.
#[derive(Default)]
pub struct Screen {
    gone: bool,
}

impl Screen {
    /// Write a line.
    pub fn line(&mut self, text: impl Display) -> Result<(), CliError> {
        if self.gone {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(())
            }
            written => written.map_err(CliError::Output),
        }
    }

    /// Write a JSON document.
    pub fn json(&mut self, document: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(document).map_err(|e| CliError::Output(e.into()))?;
        self.line(text)
    }

    /// Whether nobody reads any more.
    pub fn is_gone(&self) -> bool {
        self.gone
    }
}
