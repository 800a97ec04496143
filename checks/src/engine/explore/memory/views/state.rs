//! States in a canonical form: messages that nobody can read are gone, and what nobody will touch
//! any more is reduced to its value.

use super::super::Relevant;
use super::super::races::Epochs;
use super::super::view::View;
use super::Views;
use mmspec_model::k::engine::Class;

impl Views {
    /// Forget messages that nobody can read any more.
    pub(super) fn collect(&mut self) {
        for word in 0..self.cells.len() {
            let cell = &self.cells[word];
            if cell.class != Class::Atomic || cell.messages.len() < 2 {
                continue;
            }
            let slot = cell.slot;
            let oldest = self.threads.iter().filter(|t| t.live).map(|t| t.cur.at[slot]).min();
            let oldest = oldest.unwrap_or(cell.messages.len() as u8 - 1);
            if oldest > 0 {
                self.all_views(|v| v.at[slot] = v.at[slot].saturating_sub(oldest));
                let messages = &mut self.cells[word].messages;
                messages.drain(..oldest as usize);
                messages[0].attached = false;
            }
        }
    }

    /// Write all that the future depends on.
    pub(super) fn write(&self, relevant: &Relevant, out: &mut Vec<u8>) {
        let cells = || self.cells.iter().enumerate().filter(|(i, _)| relevant.word(*i)).map(|(_, c)| c);
        let plain = cells().filter(|c| c.class == Class::Plain).map(|c| &c.variable);
        let objects = self.objects.iter().enumerate().filter(|(i, _)| relevant.object(*i)).map(|(_, o)| o);
        let epochs = Epochs::of(plain, objects);
        let slots: Vec<usize> = cells().filter(|c| c.class == Class::Atomic).map(|c| c.slot).collect();
        let view = |out: &mut Vec<u8>, v: &View| {
            out.extend(slots.iter().map(|&slot| v.at[slot]));
            epochs.write(&v.hb, out);
        };
        for (i, cell) in self.cells.iter().enumerate() {
            let newest = cell.messages.last().map_or(cell.value, |m| m.value);
            out.extend(newest.to_le_bytes());
            if !relevant.word(i) {
                continue;
            }
            out.push(cell.messages.len() as u8);
            for message in &cell.messages {
                out.extend(message.value.to_le_bytes());
                out.push(u8::from(message.attached));
                view(out, &message.view);
            }
            match cell.class {
                Class::Sync => {
                    view(out, &cell.view);
                    view(out, &cell.written);
                }
                Class::Plain => epochs.write_variable(&cell.variable, out),
                Class::Atomic | Class::Ghost => {}
            }
        }
        for (i, object) in self.objects.iter().enumerate() {
            epochs.write_allocation(object, relevant.object(i), out);
        }
        view(out, &self.barriers);
        for thread in self.threads.iter().filter(|t| t.live) {
            for v in [&thread.cur, &thread.acq, &thread.rel, &thread.unlocked] {
                view(out, v);
            }
        }
    }
}
