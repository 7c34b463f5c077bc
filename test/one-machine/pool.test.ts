import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('a VirtualMachinePool', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
  })
  after(() => machine[Symbol.asyncDispose]())

  const labels = { app: 'web' }
  const poolOf = (more: object = {}, disks?: object[]): string => {
    const { spec } = JSON.parse(powerButtonVirtualMachine(machine, 'web')) as { spec: { template: { spec: { domain: object } } } }
    const guest = { ...spec.template.spec, terminationGracePeriodSeconds: 0 }
    const domain = disks === undefined ? guest.domain : { ...guest.domain, devices: { disks } }
    return JSON.stringify({
      apiVersion: 'pool.kubevirt.io/v1beta1',
      kind: 'VirtualMachinePool',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        virtualMachineTemplate: {
          metadata: { labels },
          spec: { ...spec, template: { metadata: { labels: { version: 'one' } }, spec: { ...guest, domain } } },
        },
        scaleInStrategy: { proactive: { selectionPolicy: { sortPolicy: 'DescendingOrder' } } },
        ...more,
      },
    })
  }
  const refusal = async (object: string): Promise<string> => (await machine.tryKubectl(['create', '-f', '-'], object)).stderr
  const ready = (count: number): Promise<unknown> =>
    machine.kubectl(['wait', 'vmpool/web', `--for=jsonpath={.status.readyReplicas}=${count}`, '--timeout=120s'])
  const guests = async (): Promise<string> => {
    const path = '{range .items[*]}{.metadata.name}={.metadata.labels.version}/{.metadata.uid} {end}'
    return (await machine.kubectl(['get', 'vmi', '-o', `jsonpath=${path}`])).trim()
  }
  const versions = async (): Promise<string> => (await guests()).replaceAll(/\/\S+/g, '')
  const untilVersions = (expected: string): Promise<void> => eventually(async () => (await versions()) === expected, versions)
  const edit = (spec: object): Promise<unknown> =>
    machine.kubectl(['patch', 'vmpool', 'web', '--type=merge', '-p', JSON.stringify({ spec })])
  const setVersion = (version: string): Promise<unknown> =>
    edit({ virtualMachineTemplate: { spec: { template: { metadata: { labels: { version } } } } } })

  test('is refused with the path of what is wrong in its template', async () => {
    assert.match(
      await refusal(poolOf({}, [{ name: 'nowhere' }])),
      /request is invalid: spec\.virtualMachineTemplate\.\S+: spec\.virtualMachineTemplate\.spec\.template\.spec\.domain\.devices\.disks\[0\]\.Name 'nowhere' not found/,
    )
    assert.match(await refusal(poolOf({ selector: { matchLabels: { app: 'other' } } })), /selector does not match labels/)
  })

  test('runs VMs with numbers for names, as many as it is scaled to', async () => {
    await machine.kubectl(['create', '-f', '-'], poolOf())
    await ready(2)
    assert.match(await machine.kubectl(['get', 'vmpool', 'web', '--no-headers']), /^web\s+2\s+2\s+2\s/)
    assert.equal(await versions(), 'web-0=one web-1=one')
    await machine.kubectl(['scale', 'vmpool/web', '--replicas=3'])
    await ready(3)
    await machine.kubectl(['scale', 'vmpool/web', '--replicas=2'])
    await untilVersions('web-0=one web-1=one')
  })

  test('replaces a VM that is deleted by one of the same name', async () => {
    const before = await guests()
    await machine.kubectl(['delete', 'vm', 'web-0'])
    await ready(2)
    await eventually(async () => (await versions()) === 'web-0=one web-1=one' && (await guests()) !== before, guests)
    assert.equal((await guests()).split(' ')[1], before.split(' ')[1])
  })

  test('brings a new template to its guests, or to its VMs only', async () => {
    await edit({ updateStrategy: { opportunistic: {} } })
    const before = await guests()
    await setVersion('two')
    const path = '{range .items[*]}{.spec.template.metadata.labels.version} {end}'
    const inVms = async (): Promise<string> => machine.kubectl(['get', 'vm', '-o', `jsonpath=${path}`])
    await eventually(async () => (await inVms()).trim() === 'two two', inVms)
    assert.equal(await guests(), before)
    await edit({ updateStrategy: { opportunistic: null, proactive: {} }, maxUnavailable: 1 })
    await untilVersions('web-0=two web-1=two')
    await ready(2)
    const revisions = async (): Promise<string> =>
      machine.kubectl(['get', 'controllerrevision', '-o', 'jsonpath={.items[?(@.metadata.ownerReferences[0].name=="web")].metadata.name}'])
    await eventually(async () => /^web-\d+( web-\d+)?$/.test((await revisions()).trim()), revisions)
  })

  test('does nothing while it is paused, and leaves VMs behind that are orphaned', async () => {
    await edit({ paused: true, replicas: 3 })
    await machine.kubectl(['wait', 'vmpool/web', '--for=condition=ReplicaPaused', '--timeout=30s'])
    await machine.kubectl(['delete', 'vmpool', 'web', '--cascade=orphan'])
    const path = '{range .items[*]}{.metadata.ownerReferences}{.metadata.finalizers} {end}'
    assert.doesNotMatch(await machine.kubectl(['get', 'vm', '-o', `jsonpath=${path}`]), /VirtualMachinePool|pool\.kubevirt\.io/)
    assert.equal(await versions(), 'web-0=two web-1=two')
    await machine.kubectl(['delete', 'vm', '--all', '--timeout=60s'])
  })
})
