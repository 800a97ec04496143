//! Function calls as spans of steps.

use super::Moment;
use mmspec_model::event::Event;
use std::collections::HashMap;

/// One call of a kernel function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Index of the task.
    pub task: usize,
    /// Function.
    pub function: String,
    /// Calls around it.
    pub depth: usize,
    /// First step in it.
    pub from: usize,
    /// Last step in it.
    pub to: usize,
    /// Whether the task is still in it when the trace ends.
    pub open: bool,
}

/// Functions around a step; one that is named like the step is the step itself.
pub fn around(e: &Event) -> &[String] {
    match e.stack.split_last() {
        Some((last, outer)) if *last == e.step => outer,
        _ => &e.stack,
    }
}

/// The calls of all `steps`. Two calls of one function in a row, with nothing between them, are one.
pub fn calls(steps: &[Moment]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    // Indices of each task's open calls, outermost first.
    let mut open: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, step) in steps.iter().enumerate() {
        let stack = open.entry(step.task).or_default();
        let same = stack.iter().zip(&step.stack).take_while(|(c, f)| calls[**c].function == **f).count();
        for left in stack.drain(same..) {
            calls[left].open = false;
        }
        for &call in stack.iter() {
            calls[call].to = number;
        }
        for (depth, function) in step.stack.iter().enumerate().skip(same) {
            stack.push(calls.len());
            calls.push(Call {
                task: step.task,
                function: function.clone(),
                depth,
                from: number,
                to: number,
                open: true,
            });
        }
    }
    calls
}
