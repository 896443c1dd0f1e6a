#![cfg_attr(fuzzing, no_main)]

countersign_fuzz::target!(http_auth_peer);
