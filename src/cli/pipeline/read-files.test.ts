import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { chooseRun } from './read-files.ts'

suite('chooseRun()', () => {
  const named = { subject: 'PipelineRun "a"', name: 'a', spec: 1 }
  const generated = { subject: 'PipelineRun "b-"', generateName: 'b-', spec: 2 }
  const rows: readonly (readonly [what: string, runs: (typeof named | typeof generated)[], wanted: string | undefined, spec: unknown])[] = [
    ['none', [], undefined, undefined],
    ['the only one, whatever the run is called', [named], 'other', 1],
    ['one by its name', [named, generated], 'a', 1],
    ['one by the beginning of its name', [named, generated], 'b-1', 2],
    ['none of several without a name', [named, generated], undefined, 'refused'],
    ['none of several by another name', [named, generated], 'c', 'refused'],
    ['none of two that it may be', [generated, generated], 'b-1', 'refused'],
  ]
  for (const [what, runs, wanted, spec] of rows)
    test(what, () => {
      if (spec === 'refused') assert.throws(() => chooseRun<number>(runs, wanted), CommandError)
      else assert.equal(chooseRun<number>(runs, wanted)?.spec, spec)
    })
})
