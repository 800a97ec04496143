//! Flag words with the ordering of `Documentation/atomic_bitops.txt`.

use super::engine::{Class, Effect, Object, Order, Rmw, Shape, Site, Word, engine};

/// A word of flag bits, modelled as one word a bit.
///
/// Operations on different bits commute, which is most of what makes flag words cheap to explore. On
/// weak memory this is weaker than the kernel, where all bits of a word change in one order, so that
/// what is proved here holds there.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    first: Word,
    bits: &'static [Bit],
}

/// One named bit of a flag word.
#[derive(Clone, Copy, Debug)]
pub struct Bit {
    /// Bit number.
    pub nr: u32,
    /// The kernel's name of it.
    pub name: &'static str,
}

impl Bit {
    const fn mask(self) -> u64 {
        1 << self.nr
    }
}

impl Flags {
    /// A word `name` of these flags inside `owner`, all clear.
    pub fn new(owner: Object, name: &'static str, bits: &'static [Bit]) -> Self {
        let words: Vec<Word> =
            bits.iter().map(|_| engine().new_word(name, Class::Atomic, owner, 0)).collect();
        Self { first: words[0], bits }
    }

    fn word(self, bit: Bit) -> Word {
        let index = self.bits.iter().position(|b| b.nr == bit.nr).expect("a flag of this word");
        Word(self.first.0 + index as u16)
    }

    /// Final value of `bit`, for judging an ended run.
    pub fn peek(self, bit: Bit) -> bool {
        engine().peek(self.word(bit)) != 0
    }
}

/// `set_bit()`: unordered.
#[track_caller]
pub fn set_bit(bit: Bit, flags: Flags) {
    let rmw = Rmw { shape: Shape::BlindOr(bit.mask()), apply: &|v| Effect::store(v | bit.mask()) };
    engine().rmw(flags.word(bit), Order::Relaxed, &rmw, Site::with("set_bit", bit.name));
}

/// `clear_bit()`: unordered.
#[track_caller]
pub fn clear_bit(bit: Bit, flags: Flags) {
    let rmw = Rmw { shape: Shape::And(!bit.mask()), apply: &|v| Effect::store(v & !bit.mask()) };
    engine().rmw(flags.word(bit), Order::Relaxed, &rmw, Site::with("clear_bit", bit.name));
}

/// `test_bit()`: unordered.
#[track_caller]
pub fn test_bit(bit: Bit, flags: Flags) -> bool {
    engine().load(flags.word(bit), Order::Relaxed, Site::with("test_bit", bit.name)) & bit.mask() != 0
}

/// `test_and_set_bit()`: fully ordered.
#[track_caller]
pub fn test_and_set_bit(bit: Bit, flags: Flags) -> bool {
    let rmw = Rmw {
        shape: Shape::Or(bit.mask()),
        apply: &|v| Effect::ret(v | bit.mask(), u64::from(v & bit.mask() != 0)),
    };
    engine().rmw(flags.word(bit), Order::Full, &rmw, Site::with("test_and_set_bit", bit.name)) != 0
}
