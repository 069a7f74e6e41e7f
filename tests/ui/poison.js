/* Show the present run with a hostile string appended to every text in it. */
(hostile) => {
  const names = ["type", "kind", "where", "method", "evidence", "format", "stop"];
  const poisoned = (value) => {
    if (Array.isArray(value)) return value.map(poisoned);
    if (typeof value === "string") return value + hostile;
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, names.includes(name) ? inner : poisoned(inner)]));
  };
  const payload = structuredClone(draginStage.state.payload);
  payload.trace = poisoned(payload.trace);
  for (const event of payload.trace.events) {
    if (event.prompt) event.prompt.sections.at(-1).end = event.prompt.text.length;
  }
  payload.facts.gold = [hostile];
  draginStage.show(payload);
}
