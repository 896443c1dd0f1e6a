-- KEYS: the claim, and the memory of losses ("id until"). ARGV: how long the claim is kept, and the margin
-- of clocks, in milliseconds. Returns whether the claim is new, the time, and until when nonces are void.
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
local is_new = redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[1])
return {is_new and 1 or 0, now, tonumber(lost)}
