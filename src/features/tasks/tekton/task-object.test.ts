import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TaskDefinition } from '../task.ts'
import { tasks } from '../tasks.ts'
import { accessOf } from './access-objects.ts'
import { tektonTaskOf } from './task-object.ts'

/**
 * Parameters of KubeVirt's tasks v0.26.0: `!` required, `[]` an array, else a text with its
 * default. Then the results.
 */
const upstream: Readonly<Record<string, readonly [parameters: string, results: string]>> = {
  'create-vm-from-manifest': ['manifest virtctl namespace startVM runStrategy setOwnerReference=false', 'name namespace'],
  'modify-data-object': [
    'manifest namespace waitForSuccess=false allowReplace=false deleteObject=false deleteObjectKind deleteObjectName timeout=1h setOwnerReference=false',
    'name namespace',
  ],
  'execute-in-vm': ['vmName! vmNamespace secretName=__empty__ command[] args[] script', ''],
  'cleanup-vm': ['vmName! vmNamespace stop=true delete=false timeout=30m secretName=__empty__ command[] args[] script', ''],
  'generate-ssh-keys': [
    'publicKeySecretName publicKeySecretNamespace privateKeySecretName privateKeySecretNamespace privateKeyConnectionOptions[] additionalSSHKeygenOptions',
    'publicKeySecretName publicKeySecretNamespace privateKeySecretName privateKeySecretNamespace',
  ],
  'wait-for-vmi-status': ['vmiName! vmiNamespace successCondition failureCondition', ''],
}

interface Step {
  readonly command: readonly string[]
  readonly args?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
}

const taskOf = (name: string): TaskDefinition => tasks.find((task) => task.name === name) ?? assert.fail(`there is no task ${name}`)

function described({ parameters }: TaskDefinition): readonly string[] {
  return parameters.map(({ name, type, default: value }) => {
    if (type === 'array') return `${name}[]`
    if (value === undefined) return `${name}!`
    return value === '' ? name : `${name}=${String(value)}`
  })
}

suite('tektonTaskOf()', () => {
  for (const [name, [parameters, results]] of Object.entries(upstream))
    test(`${name} has the interface of KubeVirt's task`, () => {
      const task = taskOf(name)
      const own = described(task)
      assert.deepEqual(
        parameters.split(' ').filter((each) => !own.includes(each)),
        [],
      )
      assert.equal(task.results.map((result) => result.name).join(' '), results)
      // What is added must be left out by pipelines that do not know it.
      const added = own.filter((each) => !parameters.split(' ').includes(each))
      assert.ok(
        added.every((each) => !each.endsWith('!')),
        added.join(' '),
      )
    })

  for (const task of tasks)
    test(`${task.name} passes each parameter on once, and no shell is between`, () => {
      const { spec } = tektonTaskOf(task, { version: 'v1.0.0', imageOf: (name) => name }) as unknown as {
        readonly spec: { readonly steps: readonly Step[] }
      }
      const [step, ...others] = spec.steps
      assert.deepEqual([step?.command, others], [['steadyvm-tasks', task.name], []])
      const text = JSON.stringify([step?.args ?? [], step?.env.map(({ value = '' }) => value)])
      for (const { name } of task.parameters)
        assert.equal(text.split(`$(params.${name}${text.includes(`.${name}[*]`) ? '[*]' : ''})`).length, 2, name)
      const variables = step?.env.map(({ name }) => name) ?? []
      assert.equal(new Set(variables).size, variables.length)
    })

  test('each task has an account with a role of its own', () => {
    for (const task of tasks)
      assert.deepEqual(
        accessOf(task).map(({ kind, metadata }) => `${kind} ${metadata?.name}`),
        ['ServiceAccount', 'Role', 'RoleBinding'].map((kind) => `${kind} ${task.name}-task`),
      )
  })
})
