# ruby server.rb PORT: a server in Ruby, which loads the library by Fiddle. Ends after five requests.
require "fiddle/import"
require "socket"

module CS
  extend Fiddle::Importer
  dlload ENV.fetch("COUNTERSIGN", "libcountersign.so.0.1")
  extern "void *cs_server_new(const char *, const char *, size_t, uint32_t, uint32_t, void *)"
  extern "int cs_server_ha1(void *, const char *, const char *, int, char *, void *)"
  extern "void *cs_server_begin(void *, void *, void *, size_t, uint32_t)"
  extern "void cs_verdict_free(void *)"
  Verdict = struct ["uint16_t status", "int is_guess", "int hash_function", "int needs_body", "void *user", "size_t user_len",
                    "void *password", "size_t password_len", "void *reason", "size_t reason_len",
                    "void *field", "size_t field_len", "void *values", "size_t number"]
  # A structure that is passed by value is two arguments.
  extern "int cs_verdict_verify(void *, const char *, void *, size_t)"
end

texts = ->(*all) { all.flat_map { |text| [Fiddle::Pointer[text].to_i, text.bytesize] }.pack("J*") }
server = CS.cs_server_new("files", "SHA-256", 10_000, 0, 0, nil)
ha1 = "\0" * 65
CS.cs_server_ha1(server, "Mufasa", "Circle of Life", 1, ha1, nil)
users = { "Mufasa" => ha1 }
listener = TCPServer.new("127.0.0.1", ARGV.fetch(0).to_i)
puts "listening"
$stdout.flush
5.times do
  socket = listener.accept
  method, uri, = socket.gets.split(" ")
  fields = socket.each_line.take_while { |line| line != "\r\n" }.map { |line| line.chomp.split(/: */, 2) }
  packed = fields.map { |name, value| texts[name, value] }.join
  verdict = CS::Verdict.new(CS.cs_server_begin(server, texts[method, uri] + [0, 0].pack("J2"), packed, fields.size, 0))
  if verdict.status.zero? # here a store may wait
    CS.cs_verdict_verify(verdict, users[verdict.user[0, verdict.user_len]], nil, 0)
  end
  lines = (0...verdict.number).map do |i|
    at, length = verdict.values[i * 16, 16].unpack("J2")
    "#{verdict.field[0, verdict.field_len]}: #{Fiddle::Pointer.new(at)[0, length]}\r\n"
  end
  socket.write "HTTP/1.1 #{verdict.status} -\r\nContent-Length: 0\r\nConnection: close\r\n#{lines.join}\r\n"
  socket.close
  CS.cs_verdict_free(verdict)
end
