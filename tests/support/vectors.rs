//! Reads the vectors of `tests/vectors/`.

use serde_json::Value;

/// All rows of `tests/vectors/{name}.json`.
pub fn load(name: &str) -> Vec<Value> {
    super::read("vectors", name)
}

/// The octets of `field`, which may stand as text, as `{"hex": ..}` or in `{field}_hex`.
/// None if the row has none of these.
pub fn bytes(row: &Value, field: &str) -> Option<Vec<u8>> {
    match &row[field] {
        Value::Null => row[format!("{field}_hex")].as_str().map(unhex),
        value => Some(octets(value)),
    }
}

/// The octets of a string or of an `{"hex": ..}` object.
pub fn octets(value: &Value) -> Vec<u8> {
    match (value, &value["hex"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(digits)) => unhex(digits),
        _ => panic!("neither a string nor {{\"hex\": ..}}: {value}"),
    }
}

/// Octets that were read, as the vectors write them: as text if a field can hold them and they
/// are ASCII, else as hex.
pub fn written(octets: impl AsRef<[u8]>) -> Value {
    let octets = octets.as_ref();
    if octets
        .iter()
        .all(|octet| matches!(octet, b'\t' | b' '..=b'~'))
    {
        return std::str::from_utf8(octets).unwrap().into();
    }
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    serde_json::json!({ "hex": digits })
}

/// The field lines of a row of `challenges` or `authinfo`.
pub fn header_lines(row: &Value) -> Vec<Vec<u8>> {
    match (&row["header_lines"], &row["header_lines_hex"]) {
        (Value::Array(lines), _) => lines.iter().map(octets).collect(),
        (_, Value::Array(lines)) => lines.iter().map(hex).collect(),
        _ => panic!("{}: no field lines", id(row)),
    }
}

/// The elements of an array; none if there is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The row's name, unique in its file.
pub fn id(row: &Value) -> &str {
    row["id"].as_str().expect("every row has an id")
}

/// The octets of a field that is hex by its name.
pub fn hex(value: &Value) -> Vec<u8> {
    unhex(value.as_str().expect("hex digits"))
}

fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "odd hex: {digits}");
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex digits"))
        .collect()
}
