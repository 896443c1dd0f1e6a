//! A program that does nothing, for `weight`.

fn main() {
    println!("{}", std::env::args().collect::<String>());
}
