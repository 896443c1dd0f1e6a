<?php
// php client.php HOST PORT TARGET USER PASSWORD: GET from PHP, which loads the library by FFI.
// For your own program copy the types and functions that it uses from countersign.h.
$cs = FFI::cdef(<<<'C'
    typedef struct cs_client cs_client; typedef struct cs_exchange cs_exchange;
    typedef struct { char text[256]; } cs_error;
    typedef struct { const char *data; size_t len; } cs_text;
    typedef struct { cs_text method, uri, body; } cs_request;
    typedef struct { cs_text name, value; } cs_field;
    cs_client *cs_client_new(const char *, const char *, uint16_t, uint32_t, cs_error *);
    int cs_client_account(cs_client *, const char *, const char *, const char *, uint32_t, cs_error *);
    cs_exchange *cs_exchange_new(void);
    int cs_client_authorize(cs_client *, cs_exchange *, const cs_request *, cs_text *, cs_error *);
    int cs_client_received(cs_client *, cs_exchange *, uint16_t, const cs_field *, size_t, cs_text, cs_error *);
    C, getenv('COUNTERSIGN') ?: 'libcountersign.so.0.1');
[, $host, $port, $target, $user, $password] = $argv;

$kept = []; // FFI frees what PHP no longer refers to.
$set = function ($text, string $value) use (&$kept) {
    $kept[] = $bytes = FFI::new('char[' . strlen($value) + 1 . ']');
    FFI::memcpy($bytes, $value, strlen($value));
    [$text->data, $text->len] = [FFI::cast('char *', $bytes), strlen($value)];
};
[$error, $answer] = [$cs->new('cs_error'), $cs->new('cs_text')];
$client = $cs->cs_client_new('http', $host, (int)$port, 0, FFI::addr($error)) ?? exit(FFI::string($error->text));
$cs->cs_client_account($client, $user, $password, null, 0, FFI::addr($error));
$exchange = $cs->cs_exchange_new();
$request = $cs->new('cs_request');
array_map($set, [$request->method, $request->uri, $request->body], ['GET', $target, '']);
do {
    $cs->cs_client_authorize($client, $exchange, FFI::addr($request), FFI::addr($answer), FFI::addr($error));
    $header = $answer->data ? 'Authorization: ' . FFI::string($answer->data, $answer->len) : '';
    $context = stream_context_create(['http' => ['header' => $header, 'ignore_errors' => true]]);
    $body = file_get_contents("http://$host:$port$target", false, $context);
    [$status, $lines] = [(int)substr($http_response_header[0], 9), array_slice($http_response_header, 1)];
    $fields = $cs->new('cs_field[' . count($lines) . ']');
    foreach ($lines as $i => $line) {
        array_map($set, [$fields[$i]->name, $fields[$i]->value], array_map('trim', explode(':', $line, 2)));
    }
    $next = $cs->cs_client_received($client, $exchange, $status, $fields, count($lines), $cs->new('cs_text'), FFI::addr($error));
} while ($next == 1);
echo "$status $next ", FFI::string($error->text), "\n";
exit($next == 0 && $status == 200 ? 0 : 1);
