/**
 * The session log in Redis: a hash with what the session is, and a stream of changes numbered 1, 2, 3 …, which every
 * replica applies in that order to its own copy of the log. Each script is one atomic step. Beyond a number of changes,
 * or of bytes in them, the oldest go in the step that adds one; `limits` is both, with a colon between.
 *
 * A Redis that was restarted may have lost its last writes. Its run id is kept with each session; when it differs,
 * a `generation` change comes first, so that no cursor from before is trusted.
 */
const ADD = `
local function sizeOf(fields)
  local size = 0
  for _, text in ipairs(fields) do size = size + string.len(text) end
  return size
end
local function add(keys, limits, ttl, fields)
  local seq = redis.call('HINCRBY', keys[1], 'n', 1)
  redis.call('XADD', keys[2], seq .. '-0', unpack(fields))
  local bytes = redis.call('HINCRBY', keys[1], 'bytes', sizeOf(fields))
  local changesMax, bytesMax = string.match(limits, '(%d+):(%d+)')
  local changes = redis.call('XLEN', keys[2])
  while changes > 1 and (changes > tonumber(changesMax) or bytes > tonumber(bytesMax)) do
    local oldest = redis.call('XRANGE', keys[2], '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', keys[2], oldest[1])
    bytes = redis.call('HINCRBY', keys[1], 'bytes', -sizeOf(oldest[2]))
    changes = changes - 1
  end
  redis.call('PEXPIRE', keys[1], ttl)
  redis.call('PEXPIRE', keys[2], ttl)
  if keys[3] then redis.call('PEXPIRE', keys[3], ttl) end
  return seq
end
local function settle(keys, run, limits, ttl)
  local known = redis.call('HGET', keys[1], 'run')
  if known and known ~= run then
    redis.call('HSET', keys[1], 'run', run)
    add(keys, limits, ttl, {'c', '{"kind":"generation"}'})
  end
end
`;

/**
 * KEYS meta ops holds; ARGV run limits ttl channel state stream hold fields…; answers the number of the change, −1 unknown session,
 * −2 one that is over, −3 a stream that is no longer held as `hold` says; an empty one asks nothing.
 */
export const CHANGE_SCRIPT = `${ADD}
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return -1 end
if state ~= 'live' then return -2 end
settle(KEYS, ARGV[1], ARGV[2], ARGV[3])
if ARGV[7] ~= '' and redis.call('HGET', KEYS[3], ARGV[6]) ~= ARGV[7] then return -3 end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'state', ARGV[5]) end
local seq = add(KEYS, ARGV[2], ARGV[3], {unpack(ARGV, 8)})
redis.call('PUBLISH', ARGV[4], seq)
return seq
`;

/** KEYS meta ops; ARGV run limits ttl principal heard now prefix; begins a session, or a generation of the one that is there. */
export const BEGIN_SCRIPT = `${ADD}
local owner = redis.call('HGET', KEYS[1], 'principal')
if owner == ARGV[4] then
  redis.call('HSET', KEYS[1], 'state', 'live', 'run', ARGV[1])
  return add(KEYS, ARGV[2], ARGV[3], {'r', ARGV[5]})
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'principal', ARGV[4], 'heard', ARGV[5], 'created', ARGV[6], 'prefix', ARGV[7], 'run', ARGV[1], 'state', 'live', 'n', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`;

/** KEYS meta ops; ARGV run limits ttl; notes a restart of Redis before the session is judged. */
export const SETTLE_SCRIPT = `${ADD}
if redis.call('HGET', KEYS[1], 'state') == 'live' then settle(KEYS, ARGV[1], ARGV[2], ARGV[3]) end
return 0
`;

/** KEYS holds; ARGV stream expected hold ttl; holds a stream unless somebody else came first; an empty `expected` is nobody. */
export const CLAIM_SCRIPT = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

/** KEYS holds; ARGV stream hold; lets go of a stream that is held so. */
export const RELEASE_SCRIPT = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0
`;
