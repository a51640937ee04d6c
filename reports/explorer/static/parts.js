// The form of a generator, which several tools share.

import { make, options } from "./ask.js";

// The fields of a generator; `values()` returns what to send.
export function fieldsOf(family) {
  const inputs = family.parameters.map(one => {
    const input = one.choices.length
      ? make("select", {}, ...options(one.choices, one.value))
      : make("input", one.flag ? { type: "checkbox" }
        : { type: "text", value: one.value, placeholder: one.metavar, required: one.required });
    return [one, input];
  });
  const element = make("div", { class: "row" }, ...inputs.map(([one, input]) =>
    make("label", { title: one.help }, `${one.name}`, input)));
  return {
    element,
    input: name => inputs.find(([one]) => one.name === name)?.[1],
    values: () => Object.fromEntries(inputs.flatMap(([one, input]) =>
      one.flag ? (input.checked ? [[one.name, true]] : [])
        : input.value.trim() ? [[one.name, input.value.trim()]] : [])),
  };
}
