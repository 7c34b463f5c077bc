import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { startTraceCollector, type TraceCollector } from '../support/observers/trace-collector.ts'
import { addressForPods, testClusterHome } from '../support/place.ts'

const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const components = ['virt-api', 'virt-controller', 'virt-handler', 'virt-operator']
const operator = ['deployment/virt-operator', '-n', 'kubevirt']

suite('spans of the components', { skip: noKubectl }, () => {
  let machine: TestMachine
  let collector: TraceCollector
  before(async () => {
    if (testClusterHome === undefined) {
      collector = await startTraceCollector()
      process.env[variable] = collector.url
      machine = await startMachine()
    } else {
      machine = await startMachine()
      collector = await startTraceCollector(await addressForPods(machine.kubeconfig))
      await setEndpoint(`=${collector.url}`)
    }
  })
  after(async () => {
    delete process.env[variable]
    collector[Symbol.dispose]()
    if (testClusterHome !== undefined) await setEndpoint('-')
    await machine[Symbol.asyncDispose]()
  })

  /** Changes the variable of the operator, and waits until all components have it or not. */
  async function setEndpoint(value: string): Promise<void> {
    await machine.kubectl(['set', 'env', ...operator, `${variable}${value}`])
    await machine.kubectl(['rollout', 'status', ...operator, '--timeout=180s'])
    const wanted = value.startsWith('=') ? value.slice(1) : ''
    const path = `jsonpath={range .items[*]}{.spec.containers[0].env[?(@.name=="${variable}")].value},{end}`
    for (const component of components) {
      const pods = ['pods', '-n', 'kubevirt', '-l', `kubevirt.io=${component}`]
      let found = ''
      const isDone = async (): Promise<boolean> => {
        found = await machine.kubectl(['get', ...pods, '-o', path])
        return (
          found !== '' &&
          found
            .split(',')
            .slice(0, -1)
            .every((one) => one === wanted)
        )
      }
      await eventually(isDone, () => `pods of ${component} have ${found}`)
      await machine.insist(['wait', ...pods, '--for=condition=Ready', '--timeout=15s'])
    }
  }

  test('come from each of them to a collector beside the cluster', async () => {
    await machine.insist(['create', '-f', '-'], powerButtonVirtualMachine(machine, 'traced'))
    await machine.kubectl(['wait', 'vm/traced', '--for=condition=Ready', '--timeout=90s'])
    const services = (): readonly string[] => [...new Set(collector.spans().map(({ service }) => service))].toSorted()
    await eventually(
      () => components.every((service) => services().includes(service)),
      () => `spans came from ${services().join()}`,
      60_000,
    )
    const names = new Set(collector.spans().map(({ service, name }) => `${service} ${name.split(' ')[0]}`))
    assert.ok(names.has('virt-controller reconcile'), [...names].join())
  })
})
