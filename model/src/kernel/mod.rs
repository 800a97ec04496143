//! `kernel/`.

pub mod exit;
pub mod fork;
pub mod freezer;
