//! SIP requests and responses, as text.

/// A request or a response.
pub struct Message<'a> {
    pub start: [&'a str; 3],
    head: &'a str,
    pub body: &'a str,
}

impl<'a> Message<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let (line, head) = head.split_once("\r\n")?;
        let mut words = line.splitn(3, ' ');
        let start = [words.next()?, words.next()?, words.next()?];
        Some(Self { start, head, body })
    }

    /// The values of a field.
    pub fn fields(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(':'));
        fields
            .filter(move |(found, _)| found.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}
