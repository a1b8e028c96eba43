/**
 * The session log in Redis: a hash with what the session is, and a stream of changes numbered 1, 2, 3 …, which every
 * replica applies in that order to its own copy of the log. Each script is one atomic step. Beyond a number of changes,
 * or of bytes in them, the oldest go in the step that adds one; `limits` is both, with a colon between. They and the
 * time to live are those that the session began with. Those that go are so many that the last of them is one of which a replica told
 * where the numbering stood then (`<number of the change> <numbering>`): a copy that is built from what is left counts on from that `base`.
 * Where none told, one goes at a time, and there is no base.
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
local function numberOf(text) return tonumber(string.match(text, '^%d+')) end
local function base(keys, seq)
  local told = redis.call('LPOP', keys[4])
  while told and numberOf(told) < seq do told = redis.call('LPOP', keys[4]) end
  if not told then
    redis.call('HDEL', keys[1], 'base')
    return seq
  end
  redis.call('HSET', keys[1], 'base', told)
  return numberOf(told)
end
local function drop(keys, change)
  redis.call('XDEL', keys[2], change[1])
  local kind, text = change[2][1], change[2][2]
  if kind == 'r' or (kind == 'c' and (string.find(text, '"generation"', 1, true) or string.find(text, '"told"', 1, true))) then
    redis.call('HSET', keys[1], 'lost', '1')
  end
  return redis.call('HINCRBY', keys[1], 'bytes', -sizeOf(change[2]))
end
local function trim(keys, limits, bytes)
  local changesMax, bytesMax = string.match(limits, '(%d+):(%d+)')
  changesMax, bytesMax = tonumber(changesMax), tonumber(bytesMax)
  local changes = redis.call('XLEN', keys[2])
  local seq, upTo = 0, 0
  while changes > 1 and (seq < upTo or changes > changesMax or bytes > bytesMax) do
    local oldest = redis.call('XRANGE', keys[2], '-', '+', 'COUNT', 1)[1]
    seq = numberOf(oldest[1])
    if seq > upTo then upTo = base(keys, seq) end
    bytes = drop(keys, oldest)
    changes = changes - 1
  end
end
local function add(keys, limits, ttl, fields)
  limits = redis.call('HGET', keys[1], 'limits') or limits
  ttl = redis.call('HGET', keys[1], 'ttl') or ttl
  local seq = redis.call('HINCRBY', keys[1], 'n', 1)
  redis.call('XADD', keys[2], seq .. '-0', unpack(fields))
  trim(keys, limits, redis.call('HINCRBY', keys[1], 'bytes', sizeOf(fields)))
  for _, key in ipairs(keys) do redis.call('PEXPIRE', key, ttl) end
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
 * Whether events (their JSON, as in a change) may repeat an id of those that were added after the change numbered `known`: such
 * changes the writer had not seen when it looked at its copy. What is not there to be looked at counts as a repetition, and so does what
 * another process added to the same stream, whose order the writer did not know.
 */
const REPEATS = `
local function idsOf(events)
  local ids = {}
  for _, event in ipairs(cjson.decode(events)) do
    if event.id ~= cjson.null then ids[event.id] = true end
  end
  return ids
end
local function repeats(keys, known, last, stream, events)
  local ids = idsOf(events)
  local seen = known
  for _, change in ipairs(redis.call('XRANGE', keys[2], (known + 1) .. '-0', '+')) do
    if tonumber(string.match(change[1], '%d+')) ~= seen + 1 then return true end
    seen = seen + 1
    local fields = change[2]
    if fields[1] == 's' then
      if fields[2] == stream then return true end
      for id in pairs(idsOf(fields[6])) do
        if ids[id] then return true end
      end
    end
  end
  return seen ~= last
end
`;

/**
 * KEYS meta ops holds bases; ARGV run limits ttl channel state stream hold name value known again base fields…; answers the number of the change, −1
 * unknown session, −2 one that is over, −3 a stream that is no longer held as `hold` says (an empty one asks nothing), −4 where `name`, if there
 * is one, has that value already. `again` says that ids of these events came before or a generation begins with them, as far as the change
 * numbered `known`; that is noted beside the changes, for copies that are built without the earlier ones. Of a session that ended nothing is kept
 * but that it did.
 */
export const CHANGE_SCRIPT = `${ADD}${REPEATS}
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return -1 end
if state == 'ended' or (state ~= 'live' and ARGV[5] ~= 'ended') then return -2 end
settle(KEYS, ARGV[1], ARGV[2], ARGV[3])
if ARGV[7] ~= '' and redis.call('HGET', KEYS[3], ARGV[6]) ~= ARGV[7] then return -3 end
if ARGV[8] ~= '' then
  if redis.call('HGET', KEYS[1], ARGV[8]) == ARGV[9] then return -4 end
  redis.call('HSET', KEYS[1], ARGV[8], ARGV[9])
end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'state', ARGV[5]) end
if ARGV[10] ~= '' then
  local known, last = tonumber(ARGV[10]), tonumber(redis.call('HGET', KEYS[1], 'n'))
  if ARGV[11] == '1' or (known < last and repeats(KEYS, known, last, ARGV[6], ARGV[18])) then redis.call('HSET', KEYS[1], 'lost', '1') end
end
if ARGV[12] ~= '' then
  local at = numberOf(ARGV[12])
  local n, told = unpack(redis.call('HMGET', KEYS[1], 'n', 'told'))
  if at <= tonumber(n) and at > tonumber(told or '0') then
    redis.call('RPUSH', KEYS[4], ARGV[12])
    redis.call('HSET', KEYS[1], 'told', at)
  end
end
local seq = add(KEYS, ARGV[2], ARGV[3], {unpack(ARGV, 13)})
if ARGV[5] == 'ended' then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'bytes', 0)
  redis.call('HDEL', KEYS[1], 'base')
end
redis.call('PUBLISH', ARGV[4], seq)
return seq
`;

/**
 * KEYS meta ops holds bases; ARGV run limits ttl principal heard now prefix retention incarnation instance; begins a session, or a generation of
 * the one that is there. One that ended begins as if it had never been.
 */
export const BEGIN_SCRIPT = `${ADD}
local owner, state = unpack(redis.call('HMGET', KEYS[1], 'principal', 'state'))
if owner == ARGV[4] and state ~= 'ended' then
  redis.call('HSET', KEYS[1], 'state', 'live', 'run', ARGV[1], 'incarnation', ARGV[9], 'instance', ARGV[10])
  return add(KEYS, ARGV[2], ARGV[3], {'r', ARGV[5]})
end
redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'principal', ARGV[4], 'heard', ARGV[5], 'created', ARGV[6], 'prefix', ARGV[7], 'run', ARGV[1], 'state', 'live', 'n', 0,
  'limits', ARGV[2], 'ttl', ARGV[3], 'retention', ARGV[8], 'incarnation', ARGV[9], 'instance', ARGV[10])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`;

/** KEYS meta ops holds bases; ARGV run limits ttl; notes a restart of Redis before the session is judged. */
export const SETTLE_SCRIPT = `${ADD}
if redis.call('HGET', KEYS[1], 'state') == 'live' then settle(KEYS, ARGV[1], ARGV[2], ARGV[3]) end
return 0
`;

/** KEYS meta ops; answers what is kept beside the changes, and the changes that are left, as they stand at one moment. */
export const READ_SCRIPT = `
return {redis.call('HGETALL', KEYS[1]), redis.call('XRANGE', KEYS[2], '-', '+')}
`;

/**
 * KEYS incarnation watch; ARGV node ms watching kept; says that the node watches, or asks who does: answers the incarnation, the latest certain
 * one, whether the node watches now, and until when another one says to. Where nobody watched, another incarnation begins, in doubt.
 */
export const WATCH_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local isNew = redis.call('HSETNX', KEYS[1], 'n', 1) == 1
if isNew then redis.call('HSET', KEYS[1], 'certain', 1) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local others = tonumber(last[2] or '0')
local settled = 1
if ARGV[3] ~= '1' then
  if others > 0 then settled = 0
  elseif not isNew then redis.call('HINCRBY', KEYS[1], 'n', 1) end
end
if settled == 1 then redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1]) end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local n, certain = unpack(redis.call('HMGET', KEYS[1], 'n', 'certain'))
return {n, certain, settled, others}
`;

/** KEYS incarnation; ARGV certain kept; another process of the upstream began. */
export const BEGAN_SCRIPT = `
if redis.call('HSETNX', KEYS[1], 'n', 1) == 1 then redis.call('HSET', KEYS[1], 'certain', 1) end
local n = redis.call('HINCRBY', KEYS[1], 'n', 1)
if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'certain', n) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {n, redis.call('HGET', KEYS[1], 'certain')}
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

/** KEYS lease; ARGV end most; the lease lasts until `end` on the clock of Redis, at most so many milliseconds. Answers what that clock says. */
export const LEASE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ms = math.min(ARGV[1] - now, tonumber(ARGV[2])) - 2
if ms > 0 then redis.call('SET', KEYS[1], '1', 'PX', ms) end
return now
`;
