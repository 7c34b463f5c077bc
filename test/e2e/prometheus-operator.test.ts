import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, type KubeJson, type TestMachine } from '../support/machine.ts'
import {
  createPrometheusKinds,
  monitoringName as name,
  monitorKind as monitor,
  removePrometheusKinds,
  ruleKind as rule,
} from '../support/observers/prometheus-kinds.ts'

const own = 'kubevirt'
suite('virt-operator beside the Prometheus operator', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(async () => {
    await removePrometheusKinds(machine)
    await machine.tryKubectl(['delete', 'namespace', 'monitors', '--wait=false'])
    await machine[Symbol.asyncDispose]()
  })

  /** The object as JSON; empty when there is none. */
  const read = async (kind: string, namespace: string, one = name): Promise<string> =>
    (await machine.tryKubectl(['get', kind, one, '-n', namespace, '-o', 'json', '--ignore-not-found'])).stdout.trim()
  const specOf = (text: string): string => (text === '' ? '' : JSON.stringify((JSON.parse(text) as KubeJson)['spec']))
  const until = (what: string, check: () => Promise<boolean>): Promise<void> => eventually(check, () => what)

  test('nothing is there without its CRDs, and what Prometheus needs once they come', async () => {
    assert.equal(await read('role', own, 'kubevirt-monitoring'), '')
    await machine.kubectl(['create', 'namespace', 'monitors'])
    await createPrometheusKinds(machine)
    await until(
      'there are no objects for Prometheus',
      async () => (await read(monitor, 'monitoring')) !== '' && (await read(rule, own)) !== '',
    )

    assert.match(specOf(await read(monitor, 'monitoring')), /"prometheus.kubevirt.io":"true"/)
    for (const part of ['"scheme":"https"', '"honorLabels":true', '"bearerTokenFile":', '"port":"metrics"'])
      assert.ok(specOf(await read(monitor, 'monitoring')).includes(part), part)
    const rules = specOf(await read(rule, own))
    for (const part of ['"alert":"VirtAPIDown"', '"alert":"UpgradeStandsStill"', '"record":"namespace:kubevirt_vm:sum"'])
      assert.ok(rules.includes(part), part)
    // The operator of HyperConverged applies its own.
    assert.ok(!rules.includes('HCOInstallationIncomplete'))
    const account = ['--as=system:serviceaccount:monitoring:prometheus-k8s']
    for (const question of [
      ['list', 'pods', '-n', own],
      ['watch', 'endpointslices.discovery.k8s.io', '-n', own],
      ['get', '/metrics'],
    ])
      assert.match(await machine.kubectl(['auth', 'can-i', ...question, ...account]), /^yes/m, question.join(' '))
    assert.match((await machine.tryKubectl(['auth', 'can-i', 'get', 'secrets', '-n', own, ...account])).stdout, /^no/m)
  })

  test('the Service that the ServiceMonitor selects leads to all components', async () => {
    await until('the Service has no endpoints of some component', async () => {
      const slices = await machine.getJson('endpointslices', '-n', own, '-l', 'kubernetes.io/service-name=kubevirt-prometheus-metrics')
      const text = JSON.stringify(slices)
      return (
        ['virt-api', 'virt-controller', 'virt-handler', 'virt-operator'].every((pod) => text.includes(`"name":"${pod}-`)) &&
        text.includes('"port":8443')
      )
    })
  })

  test('what is deleted or changed comes back', async () => {
    const before = specOf(await read(monitor, 'monitoring'))
    await machine.kubectl(['delete', monitor, name, '-n', 'monitoring'])
    await machine.kubectl(['delete', 'role', 'kubevirt-monitoring', '-n', own])
    await machine.kubectl(['patch', rule, name, '-n', own, '--type=merge', '-p', '{"spec":{"groups":[]}}'])
    await until('they do not come back', async () => {
      const [now, rules, role] = await Promise.all([read(monitor, 'monitoring'), read(rule, own), read('role', own, 'kubevirt-monitoring')])
      return specOf(now) === before && rules.includes('VirtAPIDown') && role !== ''
    })
  })

  test('the ServiceMonitor moves with serviceMonitorNamespace', async () => {
    await machine.kubectl([
      'patch',
      'kubevirt',
      'kubevirt',
      '-n',
      own,
      '--type=merge',
      '-p',
      '{"spec":{"serviceMonitorNamespace":"monitors"}}',
    ])
    await until('it does not move', async () => (await read(monitor, 'monitors')) !== '' && (await read(monitor, 'monitoring')) === '')
  })

  test('an uninstallation takes everything away', async () => {
    await machine.kubectl(['delete', 'kubevirt', 'kubevirt', '-n', own, '--timeout=150s'])
    for (const [kind, namespace, one] of [
      [monitor, 'monitors', name],
      [rule, own, name],
      ['role', own, 'kubevirt-monitoring'],
      ['rolebinding', own, 'kubevirt-monitoring'],
      ['clusterrole', own, 'kubevirt-monitoring'],
      ['clusterrolebinding', own, 'kubevirt-monitoring'],
      ['service', own, 'kubevirt-prometheus-metrics'],
    ] as const)
      assert.equal(await read(kind, namespace, one), '', `${kind} ${one}`)
  })
})
