/**
 * Expressions that only hand a value on, made into closures that keep the digits of its numbers
 * (`json/digits.ts`): a path, a choice between values, what a subquery gives. All other expressions
 * compute with doubles, and are compiled by `compile.ts`.
 *
 * Objects and arrays keep the digits of what they hold by themselves, so this file is about a
 * number that stands alone: on its way from one object into another, into a slot, or into a row.
 */
import { carriedAt } from "../../json/digits.ts";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import type { Bound } from "../bind/bound.ts";
import { bindSlot } from "./carriedSlots.ts";
import type { Compiler } from "./compiler.ts";
import type { Evaluate, EvaluateCarried } from "./run.ts";
import { compileSubquery } from "./subquery.ts";

export function compileCarrying(bound: Bound, compiler: Compiler): EvaluateCarried {
  switch (bound.kind) {
    case "parameter": {
      const { name } = bound;
      return (_slots, { parameters }) => carriedAt(parameters, name, parameters.get(name));
    }
    case "slot": {
      const { slot } = bound;
      return (slots) => carriedAt(slots, slot, slots[slot]);
    }
    case "member":
      return carryMember(compiler.value(bound.object), bound.name);
    case "index":
      return carryElement(compiler.value(bound.object), compiler.value(bound.index));
    case "conditional": {
      const condition = compiler.value(bound.condition);
      const whenTrue = compiler.carried(bound.whenTrue);
      const otherwise = compiler.carried(bound.otherwise);
      return (slots, run) =>
        condition(slots, run) === true ? whenTrue(slots, run) : otherwise(slots, run);
    }
    case "binary":
      return bound.operator === "??" ? carryFirst(bound, compiler) : compiler.value(bound);
    case "let": {
      const value = compiler.carried(bound.value);
      const body = compiler.carried(bound.body);
      const { slot } = bound;
      return (slots, run) => {
        bindSlot(slots, slot, value(slots, run));
        return body(slots, run);
      };
    }
    case "subquery":
      return compileSubquery(bound.form, () => compiler.rows(bound.query));
    case "call":
      return bound.builtIn.name === "IIF"
        ? carryChoice(bound.args, compiler)
        : compiler.value(bound);
    default:
      return compiler.value(bound);
  }
}

function carryMember(object: Evaluate, name: string): EvaluateCarried {
  return (slots, run) => {
    const holder = object(slots, run);
    return isObject(holder) ? carriedAt(holder, name, property(holder, name)) : undefined;
  };
}

function carryElement(object: Evaluate, index: Evaluate): EvaluateCarried {
  return (slots, run) => {
    const holder = object(slots, run);
    const key = index(slots, run);
    if (typeof key === "string") {
      return isObject(holder) ? carriedAt(holder, key, property(holder, key)) : undefined;
    }
    if (typeof key !== "number" || !Array.isArray(holder)) return undefined;
    return carriedAt(holder, key, (holder as readonly JsonValue[])[key]);
  };
}

/**
 * Compiles a chain of `??`. A chain leans to the left and may be thousands long, so it is not
 * walked by recursion.
 */
function carryFirst(chain: Bound, compiler: Compiler): EvaluateCarried {
  const links: EvaluateCarried[] = [];
  let first = chain;
  while (first.kind === "binary" && first.operator === "??") {
    links.push(compiler.carried(first.right));
    first = first.left;
  }
  links.push(compiler.carried(first));
  links.reverse();
  return (slots, run) => {
    for (const link of links) {
      const carried = link(slots, run);
      if (carried !== undefined) return carried;
    }
    return undefined;
  };
}

/** Compiles `IIF`, a choice that is written as a function: both values are evaluated. */
function carryChoice(args: readonly Bound[], compiler: Compiler): EvaluateCarried {
  const [condition, whenTrue, otherwise] = args.map(compiler.carried);
  return (slots, run) => {
    run.effort.spend(1);
    const isTrue = condition!(slots, run) === true;
    const yes = whenTrue!(slots, run);
    const no = otherwise!(slots, run);
    return isTrue ? yes : no;
  };
}
