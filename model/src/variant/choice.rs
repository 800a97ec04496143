//! Variation points: places where kernels differ, and the choices there.

/// What one choice at a variation point says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceInfo {
    /// Name of the choice.
    pub name: &'static str,
    /// What the kernel does.
    pub about: &'static str,
    /// Commit or message that made it so.
    pub source: &'static str,
}

/// A place where kernels differ, with what one of them does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// What is chosen.
    pub point: &'static str,
    /// What this kernel does.
    pub choice: ChoiceInfo,
}

/// Declare a variation point: an enum whose variants are choices.
macro_rules! choices {
    ($(#[$doc:meta])* $point:ident = $name:literal {
        $($variant:ident $id:literal, $about:literal, $source:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::doc_markdown, reason = "the texts are printed as they are")]
        pub enum $point {
            $(#[doc = $about] $variant,)*
        }

        impl $point {
            /// What this kernel does here.
            pub const fn chosen(self) -> Chosen {
                let choice = match self {
                    $(Self::$variant => ChoiceInfo { name: $id, about: $about, source: $source },)*
                };
                Chosen { point: $name, choice }
            }
        }
    };
}
pub(super) use choices;
