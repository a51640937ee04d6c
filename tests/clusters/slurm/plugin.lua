-- Submits jobs to the plugin as slurmctld does: one a line, field=value after field=value.
-- Prints nodes, comment, reason and milliseconds of each.

package.path = arg[1] .. "/?.lua;" .. package.path
local signal = require("posix.signal")
signal.signal(signal.SIGPIPE, signal.SIG_IGN) -- as slurmctld does
local time = require("posix.time")
local closeknit = require("closeknit_submit")
local fine, problem = closeknit.configure({
   socket = arg[2], topology = arg[3], deadline = tonumber(arg[4]),
   rest = tonumber(arg[5]), partitions = { "all", "big" },
})
io.write(fine and "ready" or "not ready: " .. tostring(problem), "\n")
io.flush()
for line in io.stdin:lines() do
   local job = {}
   for field, value in line:gmatch("(%S+)=(%S*)") do
      job[field] = tonumber(value) or value
   end
   local begin = time.clock_gettime(time.CLOCK_MONOTONIC)
   local hosts, why = closeknit.place(job)
   local finish = time.clock_gettime(time.CLOCK_MONOTONIC)
   local took = (finish.tv_sec - begin.tv_sec) * 1e3 + (finish.tv_nsec - begin.tv_nsec) / 1e6
   assert(hosts == job.req_nodes or why)
   io.write(table.concat({
      job.req_nodes or "", job.comment or "", why or "", string.format("%.3f", took),
   }, "|"), "\n")
   io.flush()
end
