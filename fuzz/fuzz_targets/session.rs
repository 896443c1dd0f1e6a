#![cfg_attr(fuzzing, no_main)]

countersign_fuzz::target!(session);
