import { referencesIn } from '../substitution/reference.ts'
import type { PlannedTask } from './plan.ts'

/** A result of another task that a task needs. */
export interface ResultUse {
  readonly task: string
  readonly result: string
}

type Related = Pick<PlannedTask, 'params' | 'when' | 'runAfter' | 'workspaces'>

/** Returns the results that a task needs, in its parameters, conditions and workspaces. Pure. */
export function resultUses(task: Related): readonly ResultUse[] {
  return textsOf(task).flatMap((text) =>
    referencesIn(text).flatMap(({ segments: [root, name = '', kind, result = ''] }) =>
      root === 'tasks' && kind === 'results' ? [{ task: name, result }] : [],
    ),
  )
}

/** Returns the names of the tasks that must be over before a task may start. Pure. */
export function dependenciesOf(task: Related): readonly string[] {
  return [...new Set([...task.runAfter, ...resultUses(task).map((use) => use.task)])]
}

/** Returns all texts of a task that may have references to other tasks. */
export function textsOf({ params, when, workspaces }: Pick<PlannedTask, 'params' | 'when' | 'workspaces'>): readonly string[] {
  return [
    ...params.flatMap(({ value }) => value),
    ...when.flatMap(({ input, values }) => [input, ...[values].flat()]),
    ...workspaces.flatMap(({ subPath }) => subPath ?? []),
  ]
}

/** Returns the names of tasks that wait for each other; empty when there are none. Pure. */
export function findCycle(tasks: readonly PlannedTask[]): readonly string[] {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    const task = byName.get(name)
    if (done.has(name) || task === undefined) return []
    for (const other of dependenciesOf(task)) {
      const cycle = visit(other, [...path, name])
      if (cycle.length > 0) return cycle
    }
    done.add(name)
    return []
  }
  for (const { name } of tasks) {
    const cycle = visit(name, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
