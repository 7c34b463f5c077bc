import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { newestKubectl, noKubectl, runCommand, type CommandResult } from '../support/kubectl.ts'
import { eventually, type KubeJson, repository, startMachine, textAt, type TestMachine } from '../support/machine.ts'

const prefix = 'instancetype.kubevirt.io/v1beta1'

function typeOf(name: string, vcpus: number, memory: string, more: object = {}): object {
  const spec = { cpu: { guest: vcpus }, memory: { guest: memory }, ...more }
  return { apiVersion: prefix, kind: 'VirtualMachineInstancetype', metadata: { name }, spec }
}

function vmOf(name: string, type: string, template: object = {}, runStrategy = 'Halted'): object {
  const instancetype = { kind: 'VirtualMachineInstancetype', name: type }
  const spec = { runStrategy, instancetype, template: { spec: { domain: { devices: {} }, ...template } } }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name, labels: { app: name } }, spec }
}

suite('steadyvm plan, why, impact, rollout and expand', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    for (const object of [typeOf('small', 1, '32Mi'), typeOf('picky', 2, '32Mi', { nodeSelector: { rack: 'b' } })]) await apply(object)
    for (const object of [vmOf('web', 'small'), vmOf('racked', 'small', { nodeSelector: { rack: 'a' } })]) await apply(object)
    // The guest is none that would hear the power button.
    await apply(vmOf('live', 'small', { terminationGracePeriodSeconds: 0 }, 'Always'))
    await machine.kubectl(['wait', 'vm/live', '--for=jsonpath={.status.printableStatus}=Running', '--timeout=60s'])
    for (const name of ['web', 'racked']) {
      await machine.kubectl(['wait', `vm/${name}`, '--for=jsonpath={.status.instancetypeRef.controllerRevisionRef.name}', '--timeout=20s'])
    }
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const fileOf = async (...items: object[]): Promise<string> => {
    const file = join(machine.home, 'change.json')
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    return file
  }
  const planOf = async (...args: string[]): Promise<{ result: CommandResult; effects: Record<string, string> }> => {
    const result = await machine.steadyvm('plan', ...args, '-o', 'json')
    assert.notEqual(result.stdout, '', result.stderr)
    const { virtualMachines } = JSON.parse(result.stdout) as { virtualMachines: { name: string; effect: string }[] }
    return { result, effects: Object.fromEntries(virtualMachines.map(({ name, effect }) => [name, effect])) }
  }

  test('an edit reaches no VM without a refresh', async () => {
    const bigger = await fileOf(typeOf('small', 2, '64Mi'))
    const edit = await planOf('-f', bigger)
    assert.deepEqual([edit.result.code, edit.effects], [0, { web: 'unchanged', racked: 'unchanged', live: 'unchanged' }])
    const both = await planOf('-f', bigger, '--refresh', 'vm/web', '--refresh', 'live')
    assert.deepEqual([both.result.code, both.effects], [2, { web: 'live', racked: 'unchanged', live: 'restart' }])
  })

  test('reports conflicts, missing objects, and what the API would refuse', async () => {
    const switched = await planOf('--switch', 'racked=picky', '--switch', 'web=gone')
    assert.deepEqual([switched.result.code, switched.effects], [2, { racked: 'conflict', web: 'blocked' }])
    const refused = await planOf('-f', await fileOf(typeOf('small', 1, '-64Mi')))
    assert.deepEqual([refused.result.code, refused.effects], [1, {}])
    const nobody = await machine.steadyvm('plan', '--refresh', 'nobody')
    assert.deepEqual([nobody.code, nobody.stdout], [1, ''])
    await apply(vmOf('early', 'later'))
    const early = await machine.steadyvm('rollout', 'refresh', 'early')
    assert.deepEqual([early.code, early.stdout], [1, ''])
    assert.match(early.stderr, /"default\/early" is left as it is: .*"later" not found/)
    await machine.kubectl(['delete', 'vm', 'early', '--timeout=60s'])
  })

  test('supports selectors and output formats', async () => {
    const bigger = await fileOf(typeOf('small', 2, '64Mi'))
    assert.deepEqual((await planOf('-f', bigger, '-l', 'app=web')).effects, { web: 'unchanged' })
    const names = await machine.steadyvm('plan', '-f', bigger, '--refresh', 'web', '-o', 'name')
    assert.equal(names.stdout, 'virtualmachine.kubevirt.io/web\n')
    const text = await machine.steadyvm('plan', '-f', bigger, '--refresh', 'web')
    for (const words of ['at its next start', 'domain.memory.guest', '32Mi → 64Mi', 'generation 2'])
      assert.ok(text.stdout.includes(words), text.stdout)
  })

  test('needs only read access, and writes nothing', async () => {
    await machine.kubectl(['create', 'serviceaccount', 'reader'])
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]
    await apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' }, rules })
    await machine.kubectl(['create', 'clusterrolebinding', 'reader', '--clusterrole=reader', '--serviceaccount=default:reader'])
    const token = (await machine.kubectl(['create', 'token', 'reader'])).trim()
    const kubeconfig = await readerKubeconfig(machine, token)
    const bigger = await fileOf(typeOf('small', 2, '64Mi'), vmOf('new', 'small'))
    for (const [code, ...args] of [
      [2, 'plan', '-f', bigger, '--refresh', 'web'],
      [0, 'why', 'vm/web', 'domain.cpu'],
      [0, 'impact', 'vmf/small'],
      [0, 'expand', '--vm', 'web'],
      [0, 'rollout', 'history', 'web'],
    ] as const) {
      const result = await machine.steadyvm(...args, '--kubeconfig', kubeconfig)
      assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}`)
    }
    const verbs = new Set(
      machine
        .auditEvents()
        .filter((event) => textAt(event, 'userAgent') === 'steadyvm-cli')
        .map((event) => textAt(event, 'verb')),
    )
    assert.deepEqual(
      [...verbs].filter((verb) => !['get', 'list'].includes(verb)),
      [],
    )
  })

  test('predicts what happens', async () => {
    const bigger = await fileOf(typeOf('small', 2, '64Mi'))
    const { result } = await planOf('-f', bigger, '--refresh', 'live')
    const planned = JSON.parse(result.stdout) as { virtualMachines: { name: string; fields: { path: string; new: unknown }[] }[] }
    await machine.kubectl(['apply', '-f', bigger])
    const refreshed = await machine.steadyvm('rollout', 'refresh', 'vm/live')
    assert.deepEqual([refreshed.code, refreshed.stderr], [0, ''])
    await eventually(
      async () => (await machine.kubectl(['get', 'vm', 'live', '-o', 'jsonpath={.status.conditions[*].type}'])).includes('RestartRequired'),
      async () => machine.kubectl(['get', 'vm', 'live', '-o', 'yaml']),
    )
    await machine.kubectl(['delete', 'vmi', 'live', '--timeout=60s'])
    await machine.kubectl(['wait', 'vm/live', '--for=jsonpath={.status.printableStatus}=Running', '--timeout=60s'])
    const vmi = await machine.getJson('vmi', 'live')
    const fields = planned.virtualMachines.find(({ name }) => name === 'live')?.fields ?? []
    assert.ok(fields.some(({ path }) => path === 'spec.domain.memory.guest'))
    for (const { path, new: wanted } of fields) assert.equal(textAt(vmi, path), String(wanted), path)
  })

  test('shows the history of a VM, undoes a revision and refreshes again', async () => {
    const states = async (): Promise<string[]> => {
      const { revisions } = JSON.parse((await machine.steadyvm('rollout', 'history', 'live', '-o', 'json')).stdout) as {
        revisions: { number: number; inForce: boolean; running: boolean }[]
      }
      return revisions.map(({ number, inForce, running }) => `${number} ${inForce} ${running}`)
    }
    const rollout = async (...args: string[]): Promise<{ code: number | null; stderr: string }> => {
      const { code, stderr } = await machine.steadyvm('rollout', ...args)
      return { code, stderr }
    }
    const done = { code: 0, stderr: '' }
    assert.deepEqual(await states(), ['2 true true', '1 false false'])
    assert.deepEqual(await rollout('undo', 'live', '--dry-run'), done)
    assert.deepEqual(await states(), ['2 true true', '1 false false'])
    assert.deepEqual(await rollout('undo', 'vm/live'), done)
    assert.deepEqual(await states(), ['2 false true', '1 true false'])
    assert.equal((await rollout('undo', 'live', '--to', '7')).code, 1)
    assert.equal((await rollout('refresh', 'live')).code, 0)
    await eventually(
      async () => (await states())[0] === '2 true true',
      async () => (await states()).join(),
    )
  })

  test('explains a value, lists the users of a type, and expands a VM', async () => {
    const why = JSON.parse((await machine.steadyvm('why', 'vm/web', 'domain.memory.guest', '-o', 'json')).stdout) as { values: KubeJson[] }
    assert.deepEqual(
      why.values.map((value) => [textAt(value, 'value'), textAt(value, 'source'), textAt(value, 'object.generation')]),
      [['32Mi', 'instancetype', '1']],
    )
    const impact = JSON.parse((await machine.steadyvm('impact', 'vmf/small', '-o', 'json')).stdout) as {
      virtualMachines: { name: string }[]
    }
    assert.deepEqual(
      impact.virtualMachines.map(({ name }) => name),
      ['live', 'racked', 'web'],
    )
    const file = await fileOf(vmOf('other', 'small'))
    const expanded = JSON.parse((await machine.steadyvm('expand', '--file', file, '-o', 'json')).stdout) as KubeJson
    assert.deepEqual([textAt(expanded, 'spec.template.spec.domain.memory.guest'), expanded['spec']?.['instancetype']], ['64Mi', undefined])
  })

  test('works as kubectl steadyvm, with completion', async () => {
    const bin = join(machine.home, 'bin')
    await mkdir(bin)
    await symlink(join(repository, 'bin', 'kubectl-steadyvm'), join(bin, 'kubectl-steadyvm'))
    const env = { ...machine.env, PATH: `${bin}:${process.env['PATH']}` }
    const why = await runCommand(newestKubectl().path, ['steadyvm', 'why', 'vm/web', 'domain.cpu.sockets'], { env })
    assert.deepEqual([why.code, why.stdout.includes('VirtualMachineInstancetype small')], [0, true], why.stderr)
    assert.ok((await machine.steadyvm('__complete', 'rollout', '')).stdout.includes('undo'))
  })
})

async function readerKubeconfig(machine: TestMachine, token: string): Promise<string> {
  const config = JSON.parse(await machine.kubectl(['config', 'view', '--raw', '-o', 'json'])) as {
    users: object[]
    contexts: { context: { user: string } }[]
  }
  const contexts = config.contexts.map((context) => ({ ...context, context: { ...context.context, user: 'reader' } }))
  const path = join(machine.home, 'reader.kubeconfig')
  await writeFile(path, JSON.stringify({ ...config, contexts, users: [{ name: 'reader', user: { token } }] }))
  return path
}
