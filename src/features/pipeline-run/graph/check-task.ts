import type { Fault } from '../manifest/fields.ts'
import type { TaskSpec } from '../manifest/task.ts'
import { checkDeep, type Meaning } from '../substitution/check-references.ts'
import type { Reference } from '../substitution/reference.ts'

/** Records references of steps and volumes that mean nothing. */
export function checkTaskReferences(spec: TaskSpec, field: string, faults: Fault[]): void {
  const check = { meaningOf: (reference: Reference): Meaning => meaningInTask(spec, reference), faults }
  checkDeep(spec.steps, `${field}.steps`, check)
  checkDeep(spec.volumes, `${field}.volumes`, check)
}

const contexts = new Set(['taskRun.name', 'taskRun.namespace', 'taskRun.uid', 'task.name', 'task.retry-count'])

function meaningInTask(spec: TaskSpec, { segments: [root = '', name = '', ...rest] }: Reference): Meaning {
  switch (root) {
    case 'params': {
      const found = spec.params.find((param) => param.name === name)
      return found !== undefined && rest.length === 0 ? found.type : { fault: `the Task has no parameter "${[name, ...rest].join('.')}"` }
    }
    case 'results': {
      const isPath = rest.length === 1 && rest[0] === 'path'
      return isPath && spec.results.some((result) => result.name === name) ? 'string' : { fault: `the Task has no result "${name}"` }
    }
    case 'workspaces': {
      const isKnown = rest.length === 1 && ['path', 'bound', 'claim', 'volume'].includes(rest[0] ?? '')
      const found = spec.workspaces.some((workspace) => workspace.name === name)
      return isKnown && found ? 'string' : { fault: found ? 'use path, bound, claim or volume' : `the Task has no workspace "${name}"` }
    }
    case 'context':
      return contexts.has([name, ...rest].join('.'))
        ? 'string'
        : { fault: `there are ${[...contexts].join(', ')} in the context of a Task` }
    default:
      return { fault: `${root} is not supported in a Task` }
  }
}
