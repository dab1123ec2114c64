// Gives each request of autocannon its key, as wrk.lua does. Its thread loads this file.
let plan;
let next;

module.exports = (request) => {
  const { 'x-plan': text, ...headers } = request.headers;
  if (plan === undefined) {
    plan = JSON.parse(text);
    next = plan.first;
  }
  const key = plan.keys > 0 ? next++ % plan.keys : next++;
  return { ...request, headers, path: plan.path.replace('%d', String(key)) };
};
