import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentRules } from '#api/access/component-rules.ts'
import { serviceAccounts } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { decideMonitoring, isContained, type StoredObject } from './decide.ts'
import { createMonitoring, type MonitoringPorts } from './monitoring.ts'
import { monitoringObjects, prometheusAccess, prometheusRules, serviceMonitors, type MonitoringPlace } from './objects.ts'
import { runbookUrls } from './runbook-urls.ts'

const place: MonitoringPlace = {
  namespace: 'kubevirt',
  account: { namespace: 'monitoring', name: 'prometheus-k8s' },
  serviceMonitorNamespace: 'monitoring',
}
const groups = [{ name: 'g', rules: [{ alert: 'A', expr: 'up == 0', annotations: { summary: 's', runbook_url: 'docs/runbooks/A.md' } }] }]
const { signal } = new AbortController()

suite('monitoringObjects()', () => {
  const objects = monitoringObjects(place, groups)

  test("have KubeVirt's names, labels and places", () => {
    assert.deepEqual(
      objects.map(({ object: { kind, metadata } }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
      [
        'Role kubevirt/kubevirt-monitoring',
        'RoleBinding kubevirt/kubevirt-monitoring',
        'ClusterRole /kubevirt-monitoring',
        'ClusterRoleBinding /kubevirt-monitoring',
        'ServiceMonitor monitoring/prometheus-kubevirt-rules',
        'PrometheusRule kubevirt/prometheus-kubevirt-rules',
      ],
    )
    for (const { object } of objects) assert.equal(object.metadata.labels?.['prometheus.kubevirt.io'], 'true')
  })

  test('without rules of a release, those that are there are left alone', () => {
    assert.ok(monitoringObjects(place, undefined).every(({ resource }) => resource !== prometheusRules))
  })

  test('grant only what virt-operator may do itself: RBAC refuses the grant of any other', () => {
    const { cluster, namespace } = componentRules['virt-operator']
    const own = [...cluster, ...namespace]
    for (const { apiGroups = [], resources = [], verbs } of prometheusAccess.namespace)
      for (const resource of resources)
        for (const verb of verbs)
          assert.ok(
            own.some(
              (rule) =>
                rule.apiGroups?.includes(apiGroups[0] ?? '') === true &&
                rule.resources?.includes(resource) === true &&
                rule.verbs.includes(verb) &&
                rule.resourceNames === undefined,
            ),
            `${verb} ${resource}`,
          )
    for (const { nonResourceURLs = [] } of prometheusAccess.cluster)
      for (const url of nonResourceURLs)
        assert.ok(
          own.some((rule) => rule.nonResourceURLs?.includes(url) === true),
          url,
        )
  })
})

suite('decideMonitoring()', () => {
  const stored = (
    namespace: string,
    labels: Readonly<Record<string, string>> = { 'app.kubernetes.io/managed-by': 'virt-operator' },
  ): StoredObject => ({
    resource: serviceMonitors,
    object: { kind: 'ServiceMonitor', metadata: { namespace, name: 'prometheus-kubevirt-rules', labels } } as KubeObject,
  })
  const comparisons = monitoringObjects(place, groups).map((wanted) => ({ wanted, present: wanted.object as KubeObject | undefined }))

  test('writes what is missing or was changed, and nothing else', () => {
    assert.deepEqual(decideMonitoring(comparisons, []), { apply: [], remove: [] })
    const changed = comparisons.map((one) =>
      one.wanted.resource === serviceMonitors
        ? { ...one, present: { ...one.wanted.object, spec: {} } as KubeObject }
        : one.wanted.resource === prometheusRules
          ? { ...one, present: undefined }
          : one,
    )
    assert.deepEqual(
      decideMonitoring(changed, []).apply.map(({ object }) => object.kind),
      ['ServiceMonitor', 'PrometheusRule'],
    )
  })

  test('removes a ServiceMonitor of ours from an earlier namespace', () => {
    const { remove } = decideMonitoring(comparisons, [stored('monitoring'), stored('before'), stored('of-others', {})])
    assert.deepEqual(remove, [stored('before')])
  })

  for (const [wanted, present, expected] of [
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: { b: [1] } }, { a: { b: [1], c: 0 } }, true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1, filled: 'default' }] }, true],
    [{ a: [1] }, { a: [1, 2] }, false],
    [{ a: 1 }, {}, false],
    [{ a: 1 }, undefined, false],
  ] as const)
    test(`${JSON.stringify(wanted)} is ${expected ? '' : 'not '}in ${JSON.stringify(present)}`, () =>
      assert.equal(isContained(wanted, present), expected))
})

suite('createMonitoring()', () => {
  function start(
    more: { readonly installed?: MonitoringPorts['monitoring']; readonly accounts?: readonly string[]; readonly refuses?: boolean } = {},
  ) {
    const [lines, writes, clock] = [[] as string[], [] as string[], createVirtualClock()]
    const accounts = new Set(more.accounts)
    const nothing = { get: () => undefined, list: () => [] }
    const asked: string[] = []
    const ports = {
      clock,
      namespace: 'kubevirt',
      log: { info: (_: object, text: string) => void lines.push(text), warn: (_: object, text: string) => void lines.push(text) },
      contents: () => Promise.resolve({ rules: () => Promise.resolve(groups) }),
      runbookTemplate: 'https://pages.test/%s',
      monitoring: more.installed ?? { observe: () => ({ installed: [serviceMonitors, prometheusRules], isKnown: true, found: [] }) },
      roles: nothing,
      roleBindings: nothing,
      clusterRoles: nothing,
      clusterRoleBindings: nothing,
      client: {
        get: async (_: object, { namespace, name }: { namespace: string; name: string }) => {
          asked.push(`${namespace}/${name}`)
          if (!accounts.has(`${namespace}/${name}`)) throw notFound(serviceAccounts, name)
          return {}
        },
        patch: async (resource: { kind: string }, key: { namespace?: string }, { body }: { body: unknown }) => {
          if (more.refuses === true) throw new Error('forbidden')
          writes.push(`${resource.kind} ${key.namespace ?? ''}`)
          if (resource.kind === 'PrometheusRule') assert.match(JSON.stringify(body), /"runbook_url":"https:\/\/pages.test\/A"/)
        },
      },
    } as unknown as MonitoringPorts
    const monitoring = createMonitoring(ports)
    const apply = (spec: KubeVirt['spec'] = {}): Promise<number | undefined> => monitoring.apply({ spec } as KubeVirt, 'v1', signal)
    return { apply, lines, writes, asked, clock, accounts }
  }

  test('without the CRDs asks and writes nothing, and says so once', async () => {
    const { apply, lines, writes, asked } = start({ installed: { observe: () => ({ installed: [], isKnown: true, found: [] }) } })
    for (let pass = 0; pass < 3; pass++) assert.equal(await apply(), undefined)
    assert.deepEqual([lines.length, writes, asked], [1, [], []])
    assert.match(lines[0] ?? '', /CRDs of the Prometheus operator are not installed/)
  })

  test('waits for the service account of Prometheus, and looks once a minute', async () => {
    const { apply, lines, writes, asked, clock, accounts } = start()
    assert.equal(await apply(), 60_000)
    assert.equal(await apply(), 60_000)
    assert.deepEqual([writes, asked], [[], ['openshift-monitoring/prometheus-k8s', 'monitoring/prometheus-k8s']])
    assert.match(lines.join(), /"prometheus-k8s" of Prometheus in openshift-monitoring or monitoring/)
    accounts.add('monitoring/prometheus-k8s')
    await clock.advance(60_000)
    assert.equal(await apply(), undefined)
    assert.equal(writes.length, 6)
  })

  test('follows what the KubeVirt object names', async () => {
    const { apply, writes } = start({ accounts: ['observers/eye'] })
    await apply({ monitorNamespace: 'observers', monitorAccount: 'eye', serviceMonitorNamespace: 'monitors' })
    assert.ok(writes.includes('ServiceMonitor monitors'), writes.join())
    assert.ok(writes.includes('PrometheusRule kubevirt'), writes.join())
  })

  test('a refused write holds up nothing', async () => {
    const { apply, lines } = start({ accounts: ['monitoring/prometheus-k8s'], refuses: true })
    assert.equal(await apply(), 60_000)
    assert.match(lines.join(), /cannot be written/)
  })

  test('the template of URLs of runbooks has the place of the name', () => {
    assert.equal(runbookUrls()('A'), 'docs/runbooks/A.md')
    assert.equal(runbookUrls('x/%s.html')('A'), 'x/A.html')
    for (const template of ['x', '%s/%s']) assert.throws(() => runbookUrls(template), RangeError)
  })
})
