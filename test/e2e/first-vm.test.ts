// Takes longer than 45 s: it boots the guest of the examples three times.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { kubectlsUnderTest, runCommand, noKubectl } from '../support/kubectl.ts'
import { eventually, repository, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

suite('the first VM, from plain KubeVirt manifests', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const kubectl of kubectlsUnderTest()) {
    test(`kubectl ${kubectl.version} applies the examples, waits for the VM and reads it`, async () => {
      const run = async (...args: string[]): Promise<string> => {
        const result = await runCommand(kubectl.path, args, { env: machine.env })
        assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`)
        return result.stdout
      }
      await run('apply', '-f', join(repository, 'examples'))
      await run('wait', 'vm/demo', '--for=condition=Ready', '--timeout=60s')
      assert.match(await run('get', 'vm'), /^NAME +AGE +STATUS +READY\ndemo +\S+ +Running +True\n$/)
      assert.match(await run('get', 'vmi'), /^NAME +AGE +PHASE +IP +NODENAME +READY\ndemo +\S+ +Running +.*node-\d +True\n$/)
      const everything = await run('get', 'vm,vmi,controllerrevisions,pods,nodes')
      for (const name of [
        'virtualmachine.kubevirt.io/demo',
        'virtualmachineinstance.kubevirt.io/demo',
        'pod/virt-launcher-demo-',
        'node/node-1',
      ])
        assert.ok(everything.includes(name), `${name} is not in:\n${everything}`)
      assert.match(await run('explain', 'vm.spec.instancetype'), /revisionName/)
      assert.match(await run('describe', 'vm', 'demo'), /Printable Status: +Running/)
      assert.equal(await run('get', 'vm', 'demo', '-o', 'jsonpath={.status.printableStatus}'), 'Running')
      await run('label', 'vm', 'demo', `seen-by=v${kubectl.version}`, '--overwrite')
      await run('annotate', 'vm', 'demo', `example.com/seen=v${kubectl.version}`, '--overwrite')
      assert.match(await run('get', 'vm', '-l', `seen-by=v${kubectl.version}`, '-o', 'name'), /demo/)
    })
  }

  test(
    'a command in the launcher pod does not run as the user of QEMU',
    { skip: machineModeOnly('QEMU runs as user of the container') || process.geteuid?.() !== 0 },
    async () => {
      const pod = (await machine.kubectl(['get', 'pods', '-l', 'kubevirt.io=virt-launcher,vm.kubevirt.io/name=demo', '-o', 'name'])).trim()
      const uid = await machine.kubectl(['exec', pod, '--', 'id', '-u'])
      assert.ok(Number(uid) >= 524_288, uid)
    },
  )

  test("instance type and preference are captured in two ControllerRevisions with KubeVirt's names, labels and owners", async () => {
    const vm = await machine.getJson('vm', 'demo')
    const type = await machine.getJson('vminstancetype', 'small')
    const preference = await machine.getJson('vmpref', 'tiny-linux')
    for (const [object, reference] of [
      [type, vm['status']?.['instancetypeRef']],
      [preference, vm['status']?.['preferenceRef']],
    ] as const) {
      const name = `demo-${textAt(object, 'metadata.name')}-v1beta1-${textAt(object, 'metadata.uid')}-${textAt(object, 'metadata.generation')}`
      assert.equal(reference?.['controllerRevisionRef']?.['name'], name)
      const revision = await machine.getJson('controllerrevision', name)
      const prefix = 'instancetype.kubevirt.io/object'
      assert.deepEqual(revision['metadata']?.['labels'], {
        [`${prefix}-generation`]: textAt(object, 'metadata.generation'),
        [`${prefix}-kind`]: object['kind'],
        [`${prefix}-name`]: object['metadata']?.['name'],
        [`${prefix}-uid`]: object['metadata']?.['uid'],
        [`${prefix}-version`]: 'v1beta1',
      })
      assert.deepEqual(revision['metadata']?.['ownerReferences'], [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name: 'demo',
          uid: vm['metadata']?.['uid'],
          controller: true,
          blockOwnerDeletion: true,
        },
      ])
      const data = revision['data']
      assert.equal(data?.['apiVersion'], 'instancetype.kubevirt.io/v1beta1')
      assert.deepEqual(data?.['spec'], object['spec'])
      assert.deepEqual(Object.keys(data?.['metadata'] ?? {}).toSorted(), [
        'creationTimestamp',
        'generation',
        'name',
        'namespace',
        'resourceVersion',
        'uid',
      ])
    }
  })

  test("the VM's spec stays as its owner wrote it, byte for byte", async () => {
    const { parse } = await import('yaml')
    const written = parse(await readFile(join(repository, 'examples/3-virtual-machine.yaml'), 'utf8')) as { spec: unknown }
    const stored = await machine.getJson('vm', 'demo')
    assert.deepEqual(stored['spec'], written.spec)
  })

  test('the guest keeps its hardware, and the VM its spec, when the instance type is edited and it restarts', async () => {
    const spec = JSON.stringify((await machine.getJson('vm', 'demo'))['spec'])
    const ask = async (): Promise<string> => (await machine.inGuest('report', 'demo')).replace(/ uptime=.*/s, '')
    const first = await ask()
    assert.match(first, /cpus=2 sockets=1 cores=2 memory=128Mi disks=vda/)
    await machine.kubectl([
      'patch',
      'vminstancetype',
      'small',
      '--type=merge',
      '-p',
      '{"spec":{"cpu":{"guest":4},"memory":{"guest":"256Mi"}}}',
    ])
    const old = await machine.getJson('vmi', 'demo')
    await machine.kubectl(['delete', 'vmi', 'demo'])
    await eventually(
      async () => {
        const result = await machine.tryKubectl(['get', 'vmi', 'demo', '-o', 'jsonpath={.metadata.uid} {.status.phase}'])
        return result.code === 0 && !result.stdout.startsWith(textAt(old, 'metadata.uid')) && result.stdout.endsWith(' Running')
      },
      () => 'the VM did not start again',
    )
    assert.equal(await ask(), first)
    assert.equal(JSON.stringify((await machine.getJson('vm', 'demo'))['spec']), spec)
  })

  test('a halted VM powers its guest off, and a deleted one leaves nothing behind', async () => {
    await machine.kubectl(['patch', 'vm', 'demo', '--type=merge', '-p', '{"spec":{"runStrategy":"Halted"}}'])
    await machine.kubectl(['wait', 'vm/demo', '--for=jsonpath={.status.printableStatus}=Stopped', '--timeout=60s'])
    // The guest has ended; the QEMU around it is let go only then.
    await eventually(
      () => machine.guests().length === 0,
      () => 'QEMU did not end',
    )
    await machine.kubectl(['delete', 'vm', 'demo', '--timeout=60s'])
    await eventually(
      async () => (await machine.kubectl(['get', 'vm,vmi,pods,controllerrevisions', '-n', 'default', '-o', 'name'])) === '',
      () => machine.kubectl(['get', 'vm,vmi,pods,controllerrevisions', '-n', 'default', '-o', 'name']),
      20_000,
    )
  })
})
