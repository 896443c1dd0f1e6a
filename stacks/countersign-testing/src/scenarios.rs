//! The tables of scenarios.

/// Makes the enum of the scenarios of one side from a table: their names, the functions that run
/// them, and what is expected.
macro_rules! scenarios {
    (
        $(#[$about:meta])*
        for $subject:ty;
        $($(#[$doc:meta])* $name:ident = $run:path, $expected:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum Scenario {
            $($(#[$doc])* $name,)*
        }

        impl Scenario {
            /// All scenarios, in the order in which they run.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// What the program must do, and the section that asks for it.
            pub const fn expected(self) -> &'static str {
                match self {
                    $(Self::$name => $expected,)*
                }
            }

            pub(super) fn run(self, subject: &mut $subject) -> crate::outcome::Outcome {
                match self {
                    $(Self::$name => $run(subject),)*
                }
            }
        }

        /// The name of the variant.
        impl std::fmt::Display for Scenario {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self, f)
            }
        }
    };
}

pub(crate) use scenarios;
