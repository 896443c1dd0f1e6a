//! The search: breadth first, each state once.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};

use super::changed;
use super::honest;
use super::setup::Setup;
use super::state;
use super::world::{Checked, Event, Said, World, ensure};

/// How a state was first reached, and what follows from it.
struct Node {
    parent: usize,
    event: Option<Event>,
    /// A hash of all that the client says next and of the states that follow, once it is known.
    behaviour: Option<u64>,
}

/// About one in this many histories that end in a known state is kept, to compare what follows.
const SAMPLE: usize = 97;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) states: usize,
    pub(super) edges: usize,
    pub(super) depth: usize,
    /// The states that were not expanded, because a secret was refused too often.
    pub(super) limits: usize,
    /// No state was left out for the length of its history.
    pub(super) is_complete: bool,
    /// The histories whose end was compared with another one in the same state.
    pub(super) compared: usize,
}

struct Search {
    known: HashMap<Box<[u8]>, usize>,
    nodes: Vec<Node>,
    found: Found,
}

/// Searches all states, or those that histories of at most `depth` events lead to. Panics with the
/// history at the first fault.
pub(super) fn search(setup: &'static Setup, depth: usize) -> Found {
    let mut search = Search {
        known: HashMap::new(),
        nodes: alloc::vec![Node {
            parent: 0,
            event: None,
            behaviour: None,
        }],
        found: Found::default(),
    };
    let root = World::new(setup);
    search.known.insert(state::of(&root), 0);
    let mut samples = Vec::new();
    let mut layer = alloc::vec![(0, root)];
    while !layer.is_empty() && search.found.depth < depth {
        search.found.depth += 1;
        let mut next = Vec::new();
        for (at, world) in &layer {
            if let Err(fault) = search.expand(*at, world, &mut next, &mut samples) {
                panic!("{}: {fault}\n{}", setup.name, search.history(*at));
            }
        }
        layer = next;
    }
    search.found.is_complete = layer.is_empty();
    for (at, world) in layer {
        // Not expanded, but checked.
        if let Err(fault) = honest::check(&world).and_then(|()| changed::check(&world)) {
            panic!("{}: {fault}\n{}", setup.name, search.history(at));
        }
    }
    for (at, world) in samples {
        let Some(expected) = search.nodes[at].behaviour else {
            continue;
        };
        match behaviour(&world) {
            Ok(found) if found == expected => search.found.compared += 1,
            other => panic!(
                "{}: a state that behaves in two ways: {other:?}\n{}",
                setup.name,
                search.history(at)
            ),
        }
    }
    search.found.states = search.nodes.len();
    search.found
}

impl Search {
    fn expand(
        &mut self,
        at: usize,
        world: &World,
        next: &mut Vec<(usize, World)>,
        samples: &mut Vec<(usize, World)>,
    ) -> Checked<()> {
        honest::check(world)?;
        changed::check(world)?;
        if world.is_at_limit() {
            self.found.limits += 1;
            return Ok(());
        }
        let mut follows = Vec::new();
        for event in world.events() {
            let (said, after, state) = follow(world, event)?;
            follows.push(hash(&(&said, &state)));
            self.found.edges += 1;
            let new = self.nodes.len();
            match self.known.entry(state) {
                Entry::Vacant(_) if said == Said::Unchanged => {
                    return Err(format!("{event:?} changes something"));
                }
                Entry::Vacant(entry) => {
                    entry.insert(new);
                    self.nodes.push(Node {
                        parent: at,
                        event: Some(event),
                        behaviour: None,
                    });
                    next.push((new, after));
                }
                Entry::Occupied(entry) => {
                    let known = *entry.get();
                    ensure(
                        said != Said::Unchanged || known == at,
                        &format!("{event:?} changes something"),
                    )?;
                    if self.found.edges.is_multiple_of(SAMPLE) {
                        samples.push((known, after));
                    }
                }
            }
        }
        follows.sort_unstable();
        self.nodes[at].behaviour = Some(hash(&follows));
        Ok(())
    }

    /// The shortest history that leads to a state.
    fn history(&self, mut at: usize) -> String {
        let mut events = Vec::new();
        while let Some(event) = self.nodes[at].event {
            events.push(format!("  {event:?}\n"));
            at = self.nodes[at].parent;
        }
        events.reverse();
        events.concat()
    }
}

fn follow(world: &World, event: Event) -> Checked<(Said, World, Box<[u8]>)> {
    let mut after = world.clone();
    let said = after
        .step(event)
        .map_err(|fault| format!("{event:?}: {fault}"))?;
    honest::check_state(&after).map_err(|fault| format!("{event:?}: {fault}"))?;
    let state = state::of(&after);
    Ok((said, after, state))
}

/// A hash of what the client says next and of the states that follow, whichever exchange is first.
fn behaviour(world: &World) -> Checked<u64> {
    let mut follows = Vec::new();
    for event in world.events() {
        let (said, _, state) = follow(world, event)?;
        follows.push(hash(&(&said, &state)));
    }
    follows.sort_unstable();
    Ok(hash(&follows))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
