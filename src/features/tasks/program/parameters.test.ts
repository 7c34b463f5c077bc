import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exitCodes, TaskFailed } from '../exit-codes.ts'
import type { TaskParameter } from '../task.ts'
import { flagOf, readParameters } from './parameters.ts'

const parameters: readonly TaskParameter[] = [
  { name: 'vmName', type: 'string', environment: 'VM_NAME', description: 'required' },
  { name: 'stop', type: 'string', default: 'true', description: '' },
  { name: 'timeout', type: 'string', environment: 'TIMEOUT', default: '1h', description: '' },
  { name: 'command', type: 'array', default: [], description: '' },
  { name: 'args', type: 'array', default: ['none'], description: '' },
]
const read = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): ReturnType<typeof readParameters> =>
  readParameters({ name: 'a-task', parameters }, args, environment)
const isBadInput = (error: unknown): boolean => error instanceof TaskFailed && error.exitCode === exitCodes.badInput

suite('readParameters()', () => {
  for (const [name, flag] of Object.entries({
    vmName: 'vm-name',
    startVM: 'start-vm',
    additionalSSHKeygenOptions: 'additional-ssh-keygen-options',
    EXPORT_SOURCE_KIND: 'export-source-kind',
    pvc: 'pvc',
  }))
    test(`${name} has the flag --${flag}`, () => assert.equal(flagOf({ name }), flag))

  test('a flag wins over the environment, and that over the default; an empty text is none', () => {
    const values = read(['--vm-name', 'a', '--stop='], { VM_NAME: 'b', TIMEOUT: '' })
    assert.deepEqual([values.text('vmName'), values.text('stop'), values.text('timeout')], ['a', 'true', '1h'])
    assert.equal(read([], { VM_NAME: 'b' }).text('vmName'), 'b')
    assert.equal(read(['--vm-name=a', '--vm-name=c']).text('vmName'), 'c')
  })

  test('words after -- are those of the first array, in their order and as they are', () => {
    const values = read(['--vm-name=a', '--args=x', '--args=y z', '--', 'ls', '--help', '', '$(date) "q"'])
    assert.deepEqual(values.list('command'), ['ls', '--help', '', '$(date) "q"'])
    assert.deepEqual(values.list('args'), ['x', 'y z'])
    assert.deepEqual(read(['--vm-name=a']).list('args'), ['none'])
  })

  test('scripts and manifests keep their white space', () => {
    const values = read(['--vm-name= a\n'])
    assert.deepEqual([values.text('vmName'), values.verbatim('vmName')], ['a', ' a\n'])
  })

  for (const args of [[], ['--vm-name='], ['--vm-name=a', '--unknown=b'], ['--vm-name'], ['--vm-name=a', 'word']])
    test(`refuses ${JSON.stringify(args)}`, () => assert.throws(() => read(args), isBadInput))

  test('refuses words for a task without arrays', () => {
    assert.throws(() => readParameters({ name: 'a-task', parameters: parameters.slice(0, 2) }, ['--vm-name=a', '--', 'b'], {}), isBadInput)
  })

  for (const [text, value] of [
    ['true', true],
    ['false', false],
    [' true ', true],
    ['yes', undefined],
    ['True', undefined],
    ['1', undefined],
  ] as const)
    test(`${JSON.stringify(text)} ${value === undefined ? 'is no truth value' : `is ${value}`}`, () => {
      const values = read(['--vm-name=a', `--stop=${text}`])
      if (value === undefined) assert.throws(() => values.isTrue('stop'), isBadInput)
      else assert.equal(values.isTrue('stop'), value)
    })

  for (const [text, value] of [
    ['3h2m1s', 10_921_000],
    ['90s', 90_000],
    ['0s', undefined],
    ['-1s', undefined],
    ['10', undefined],
    ['501h', undefined],
  ] as const)
    test(`${text} ${value === undefined ? 'is no duration of a wait' : `lasts ${value} ms`}`, () => {
      const values = read(['--vm-name=a', `--timeout=${text}`])
      if (value === undefined) assert.throws(() => values.milliseconds('timeout'), isBadInput)
      else assert.equal(values.milliseconds('timeout'), value)
    })
})
