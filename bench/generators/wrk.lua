-- Requests for wrk. Arguments: method, path, keys, first, bytes, then headers as name=value.
-- `%d` in the path is the number of a key: with `keys`, one of so many in turn; with 0, always a new one.
local method, path, keys, next_key, head, body

function init(args)
  method, path = args[1], args[2]
  keys, next_key = tonumber(args[3]), tonumber(args[4])
  local bytes = tonumber(args[5])
  head = {}
  for at = 6, #args do
    local name, value = args[at]:match("^([^=]+)=(.*)$")
    head[name] = value
  end
  if bytes >= 0 then
    body = string.rep("x", bytes)
    head["Content-Length"] = tostring(bytes)
  end
end

function request()
  local key = next_key
  next_key = next_key + 1
  if keys > 0 then key = key % keys end
  return wrk.format(method, (path:gsub("%%d", string.format("%d", key))), head, body)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"bytes":%d,"failed":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
