-- Nodes for a job at its submission, chosen by a service on a Unix socket.
--
-- slurmctld holds locks while this runs. So nothing here waits for longer than the
-- deadline, by a clock that never jumps, and whatever goes wrong leaves the job as it was
-- submitted. After a failure the service is left alone for a while.
--
-- Needs luaposix. Written for Lua 5.1 to 5.4.

local M = {}

local settings = {
   socket = "/run/closeknit/socket",
   topology = "/etc/slurm/topology.conf",
   objective = "switches",
   deadline = 3.5, -- milliseconds for everything at one submission
   rest = 50, -- milliseconds without a question after a failure, twice as many after
   longest_rest = 5000, -- each further one, up to so many
   stale = 5, -- seconds after which what the service knows of Slurm is too old
   smallest = 2, -- nodes of a job; a single node is close to itself
   partitions = nil, -- a list of names; nil: every partition has all nodes of the topology
   mark = "closeknit", -- begins the comment: `closeknit slurm follow` knows the job by it
}

local LONGEST = 262144 -- bytes of an answer
local posix -- parts of luaposix, or nil if there are none
local known = {} -- names of the nodes in the topology
local failures, resting_until = 0, 0

local function log(text)
   if slurm and slurm.log_info then
      slurm.log_info("closeknit: %s", text)
   end
end

local function milliseconds()
   local now = posix.time.clock_gettime(posix.time.CLOCK_MONOTONIC)
   return now.tv_sec * 1000 + now.tv_nsec / 1e6
end

-- Return the names in a hostlist as a list, or nil if it is malformed or has more than
-- `most` names: n[01-12,15],login1.
function M.unfold(text, most)
   local names, at = {}, 1
   while at <= #text do
      local head, brackets, comma, next_at =
         text:match("^([%w%._%-]+)(%[?[%d,%-]*%]?)(,?)()", at)
      if not head or #head > 512 then
         return nil
      end
      if brackets == "" then
         names[#names + 1] = head
      else
         local ranges = brackets:match("^%[([%d,%-]+)%]$")
         if not ranges then
            return nil
         end
         for piece in (ranges .. ","):gmatch("([^,]*),") do
            local low, high = piece:match("^(%d+)%-(%d+)$")
            low = low or piece:match("^%d+$")
            high = high or low
            if not low or #low > 15 or #high > 15 then
               return nil
            end
            local width, first, last = #low, tonumber(low), tonumber(high)
            if last < first or #names + last - first + 1 > most then
               return nil
            end
            for i = first, last do
               names[#names + 1] = head .. string.format("%0" .. width .. "d", i)
            end
         end
      end
      if #names > most or (comma == "" and next_at <= #text) then
         return nil
      end
      at = next_at
   end
   return names
end

-- Return the nodes that a topology.conf or topology.yaml lists, as a set.
local function nodes_of(path)
   local found, count = {}, 0
   local file = assert(io.open(path))
   local text = file:read("*a"):gsub("#[^\n]*", ""):gsub("\\\n", " ")
   file:close()
   local listed = "%f[%w][Nn][Oo][Dd][Ee][Ss]%s*[=:]%s*[\"']?([%w%._%-%[%],]+)"
   for word in text:gmatch(listed) do
      for _, name in ipairs(assert(M.unfold(word, 1048576), "cannot read " .. word)) do
         found[name] = true
         count = count + 1
      end
   end
   assert(count > 0, "there are no nodes in " .. path)
   return found
end

-- Take settings and read the topology; without it, or without luaposix, jobs stay as
-- they are.
function M.configure(given)
   for key, value in pairs(given or {}) do
      settings[key] = value
   end
   posix, known = nil, {}
   local fine, problem = pcall(function()
      known = nodes_of(settings.topology)
      posix = {
         time = require("posix.time"),
         socket = require("posix.sys.socket"),
         poll = require("posix.poll"),
         fcntl = require("posix.fcntl"),
         unistd = require("posix.unistd"),
      }
   end)
   if not fine then
      posix = nil
      log("jobs are submitted as they are: " .. tostring(problem))
   end
   return fine, problem
end

-- Whether a value that a job may have is there: numbers that are not set are near 2^16,
-- 2^32 or 2^64.
local function is_set(value)
   if value == nil or value == "" or value == false then
      return false
   end
   local number = type(value) == "number" and value or nil
   return not (number and (number == 0 or number == 65534 or number >= 4294967294))
end

local EXCLUDED = {
   "req_nodes", "exc_nodes", "features", "reservation", "dependency", "array_inx",
   "licenses", "burst_buffer", "tres_per_node", "tres_per_job", "tres_per_task",
   "gres", "begin_time", "contiguous", "req_switch", "het_job_offset", "clusters",
}

-- Return how many nodes a job wants, or nil if the choice is not ours.
local function wanted(job)
   local k = job.min_nodes
   if type(k) ~= "number" or k < settings.smallest or k >= 4294967294 then
      return nil
   end
   if job.max_nodes ~= k or job.priority == 0 then
      return nil
   end
   for _, field in ipairs(EXCLUDED) do
      if is_set(job[field]) then
         return nil
      end
   end
   if settings.partitions then
      local partition = job.partition
      for _, name in ipairs(settings.partitions) do
         if name == partition or (partition == nil and name == settings.partitions[1]) then
            return k
         end
      end
      return nil
   end
   return k
end

-- Send a request and return the answer, within the deadline.
local function exchanged(request, deadline)
   local fd = assert(posix.socket.socket(posix.socket.AF_UNIX, posix.socket.SOCK_STREAM, 0))
   local fine, answer = pcall(function()
      local flags = posix.fcntl
      flags.fcntl(fd, flags.F_SETFD, flags.FD_CLOEXEC)
      assert(flags.fcntl(fd, flags.F_SETFL, flags.O_NONBLOCK))
      local address = { family = posix.socket.AF_UNIX, path = settings.socket }
      assert(posix.socket.connect(fd, address))
      local sent = assert(posix.socket.send(fd, request))
      assert(sent == #request, "the request was not taken")
      local parts, size, length, head = {}, 0, nil, nil
      while true do
         local left = math.floor(deadline - milliseconds())
         assert(left >= 1, "no answer in time")
         assert(posix.poll.rpoll(fd, left) == 1, "no answer in time")
         local part = assert(posix.socket.recv(fd, 65536))
         assert(part ~= "", "the answer ends too early")
         parts[#parts + 1], size = part, size + #part
         assert(size <= LONGEST, "the answer is too long")
         local text = table.concat(parts)
         parts = { text }
         if not head then
            head = text:find("\r\n\r\n", 1, true)
            if head then
               local above = text:sub(1, head + 1):lower()
               local status = above:match("^http/1%.[01] (%d%d%d) ")
               assert(status == "200", "status " .. (status or "of no kind"))
               length = tonumber(above:match("\r\ncontent%-length: *(%d+)\r\n"))
               assert(length and length <= LONGEST, "the answer has no length")
            end
         end
         if head and size >= head + 3 + length then
            return text:sub(head + 4, head + 3 + length)
         end
      end
   end)
   posix.unistd.close(fd)
   return assert(fine and answer, answer)
end

-- Return the hostlist in an answer, once it is clear that Slurm will take it.
local function checked(answer, k)
   local age = tonumber(answer:match('"state_age": *([%d%.]+)'))
   assert(age and age <= settings.stale, "the service does not know what is free")
   local hosts = answer:match('"hostlist": *"([^"]+)"')
   local names = hosts and M.unfold(hosts, k)
   assert(names and #names == k, "the answer has not as many nodes as wanted")
   local seen = {}
   for _, name in ipairs(names) do
      assert(known[name] and not seen[name], "the answer has a wrong node")
      seen[name] = true
   end
   return hosts
end

-- Set the nodes of a job where they can be chosen now; otherwise leave it alone. Returns
-- the hostlist, or nil and why not.
function M.place(job)
   if not posix then
      return nil, "not configured"
   end
   local begin = milliseconds()
   local right, k = pcall(wanted, job)
   if not right or not k then
      return nil, right and "not ours" or k
   end
   if begin < resting_until then
      return nil, "resting"
   end
   local fine, hosts = pcall(function()
      local body = string.format(
         '{"k": %d, "objective": "%s", "take": true}', k, settings.objective
      )
      local request = "POST /select HTTP/1.1\r\nHost: localhost\r\n"
         .. "Content-Type: application/json\r\nConnection: close\r\n"
         .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
      return checked(exchanged(request, begin + settings.deadline), k)
   end)
   local took = milliseconds() - begin
   if not fine then
      local why = tostring(hosts):gsub("^.*%.lua:%d+: ", "")
      -- A cluster that is full is no fault of the service.
      if not why:match("^status 409") then
         local rest = settings.rest * 2 ^ math.min(failures, 20)
         resting_until = milliseconds() + math.min(rest, settings.longest_rest)
         failures = failures + 1
      end
      log(string.format("%d nodes left to Slurm (%s) after %.2f ms", k, why, took))
      return nil, why
   end
   failures = 0
   job.req_nodes = hosts
   job.comment = settings.mark .. (is_set(job.comment) and " " .. job.comment or "")
   log(string.format("%d nodes %s in %.2f ms", k, hosts, took))
   return hosts
end

return M
