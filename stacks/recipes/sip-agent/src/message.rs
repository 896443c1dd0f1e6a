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

    /// The status, if this is a response.
    pub fn status(&self) -> Option<u16> {
        let [version, status, _] = self.start;
        let status = (version == "SIP/2.0").then_some(status)?;
        status.parse().ok()
    }

    /// Whether this is the response to a request: of its branch, and with its number and method.
    pub fn is_to(&self, branch: &str, sequence: u32, method: &str) -> bool {
        let via = self.fields("Via").next().unwrap_or_default();
        let first = via.split(',').next().unwrap_or_default();
        let mut parameters = first.split(';').filter_map(|text| text.split_once('='));
        let found = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("branch"));
        let cseq = self.fields("CSeq").next().unwrap_or_default();
        let is_cseq = match cseq.split_whitespace().collect::<Vec<_>>()[..] {
            [number, of] => number.parse() == Ok(sequence) && of == method,
            _ => false,
        };
        is_cseq && found.is_some_and(|(_, value)| value.trim() == branch)
    }

    /// The fields that a response has from its request (RFC 3261, section 8.2.6.2).
    pub fn copied(&self) -> String {
        let mut copied = String::new();
        for name in ["Via", "From", "To", "Call-ID", "CSeq"] {
            for value in self.fields(name) {
                copied += &format!("{name}: {value}\r\n");
            }
        }
        copied
    }
}
