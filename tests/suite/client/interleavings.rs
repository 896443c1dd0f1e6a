//! Requests under way at once, to two realms of one origin and through a proxy, by users with right and
//! wrong passwords, whose responses are late or lost: whatever the order, the world's rules hold, and
//! wrong passwords are sent again less and less often.

use proptest::prelude::*;

use super::world::World;
use super::world::habits::interleaved;
use crate::support::effort::cases;

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn exchanges_interleaved_at_random(number in any::<u32>(), steps in 1..800_u32) {
        let setting = interleaved(number.into());
        let figures = World::new(&setting).run_in_any_order(steps);
        // Each time it takes twice as many asks, and then as many tasks may send it as are under
        // way: three passwords that are wrong, in three realms. Whoever loses the response sends
        // once more.
        let times = 1 + (figures.asked + 1).ilog2();
        let most = 3 * 3 * times * u32::from(setting.manners.tasks) + figures.lost;
        prop_assert!(figures.wrong <= most, "{setting:?}: {figures:?}");
    }
}
