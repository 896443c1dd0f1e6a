-- KEYS: the nonce, and the memory of losses ("id until"). ARGV: how long the nonce is kept and the margin of
-- clocks, in milliseconds, and the count, if any. Returns whether the claim is new, the time, and until when
-- nonces are void.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- New at each start of a server and at each promotion of a replica, after which claims may be gone.
local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if not id then return redis.error_reply('ERR no master_replid in INFO replication') end
local known, lost = string.match(redis.call('GET', KEYS[2]) or '', '^(%x+) (%d+)$')
if known ~= id then
  lost = string.format('%.0f', now + ARGV[2])
  redis.call('SET', KEYS[2], id .. ' ' .. lost)
end

-- The highest count, and two words of bits: those of the 64 counts up to it, each at its place modulo 64.
local kept = redis.call('GET', KEYS[1])
local highest, words = 0, {0, 0}
if kept then highest, words[1], words[2] = struct.unpack('>I4I4I4', kept) end
local count, is_new = tonumber(ARGV[3]), not kept
-- What is absent may have been evicted.
if not (kept and count) then
  local memory = redis.call('INFO', 'memory')
  local policy = string.match(memory, 'maxmemory_policy:(%S+)')
  local limited = not string.find(memory, 'maxmemory:0\r\n', 1, true)
  if limited and policy ~= 'noeviction' then
    -- Also after eviction is turned off, what was issued until now is void.
    redis.call('SET', KEYS[2], string.format('%s %.0f', id, now + ARGV[2]))
    return redis.error_reply('EVICTS ' .. (policy or ''))
  end
end
if count then
  local function place(of) return math.floor(of / 32) % 2 + 1, bit.lshift(1, of % 32) end
  -- The places of the counts that are skipped are of older ones.
  for skipped = math.max(highest + 1, count - 63), count do
    local word, mask = place(skipped)
    words[word] = bit.band(words[word], bit.bnot(mask))
  end
  local word, mask = place(count)
  is_new = count > highest - 64 and bit.band(words[word], mask) == 0
  words[word] = bit.bor(words[word], mask)
  highest = math.max(highest, count)
else
  -- A nonce that is used without a count is valid for one use.
  highest, words = 2^32 - 1, {2^32 - 1, 2^32 - 1}
end
if is_new then
  local counts = struct.pack('>I4I4I4', highest, words[1] % 2^32, words[2] % 2^32)
  -- No count is good for longer than the first, so the time to live stays.
  if kept then redis.call('SETRANGE', KEYS[1], 0, counts)
  else redis.call('SET', KEYS[1], counts, 'PX', ARGV[1]) end
end
return {is_new and 1 or 0, now, tonumber(lost)}
