import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { explainHyperConverged, phraseOf } from './why.ts'

const hyperconverged = {
  metadata: { name: 'kubevirt-hyperconverged', namespace: 'kubevirt' },
  spec: {
    featureGates: [{ name: 'objectGraph', state: 'Enabled' }],
    virtualization: { liveMigrationConfig: { progressTimeout: 3 } },
    deployment: { logVerbosityConfig: { kubevirt: { virtHandler: 5 } } },
  },
} as HyperConverged

const ask = (path?: string): readonly string[] =>
  explainHyperConverged({ hyperconverged, nodes: [], kubevirt: undefined, overrides: [], now: 0 }, path).map(
    ({ component, path: at, value, source }) => `${component} ${at} = ${JSON.stringify(value)}: ${phraseOf(source)}`,
  )

test('a value is found by field, gate, component and path', () => {
  const verbosity = 'spec.configuration.developerConfiguration.logVerbosity'
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [
      'virtualization.liveMigrationConfig.progressTimeout',
      ['kubevirt spec.configuration.migrations.progressTimeout = 3: spec.virtualization.liveMigrationConfig.progressTimeout'],
    ],
    [
      'spec.configuration.migrations.progressTimeout',
      ['kubevirt spec.configuration.migrations.progressTimeout = 3: spec.virtualization.liveMigrationConfig.progressTimeout'],
    ],
    ['OBJECTGRAPH', ['kubevirt spec.configuration.developerConfiguration.featureGates[ObjectGraph] = true: feature gate objectGraph']],
    [
      'featureGates.template',
      [
        'kubevirt spec.configuration.developerConfiguration.featureGates[Template] = true: feature gate template, by the default of its phase',
      ],
    ],
    [
      'deployment.logVerbosityConfig.kubevirt.virtHandler',
      [`kubevirt ${verbosity} = {"virtHandler":5}: spec.deployment.logVerbosityConfig.kubevirt`],
    ],
    ['nothing.like.this', []],
  ]
  for (const [path, lines] of rows) assert.deepEqual(ask(path), lines)
  assert.ok(ask('cdi').every((line) => line.startsWith('cdi ')))
  // A component that is not asked for has no values.
  assert.deepEqual(ask('aaq'), [])
  assert.ok(ask().length > 50)
})

test('settings of the operator and of the cluster are known from the status', () => {
  const inputs = {
    environment: [
      { name: 'MACHINETYPE', value: 'pc-q35-9' },
      { name: 'SMBIOS', value: '{"family":"f"}' },
    ],
    openShift: true,
    tlsSecurityProfile: { type: 'Modern', modern: {} },
  }
  const reported = { ...hyperconverged, status: { steadyvm: { inputs } } } as HyperConverged
  const lines = explainHyperConverged({ hyperconverged: reported, nodes: [], kubevirt: undefined, overrides: [], now: 0 }).map(
    ({ path, value, source }) => `${path} = ${JSON.stringify(value)}: ${phraseOf(source)}`,
  )
  for (const line of [
    'spec.configuration.architectureConfiguration.amd64.machineType = "pc-q35-9": setting MACHINETYPE of the operator',
    'spec.configuration.smbios = {"family":"f"}: setting SMBIOS of the operator',
    'spec.configuration.tlsConfiguration.minTLSVersion = "VersionTLS13": TLS profile of the APIServer "cluster"',
    'spec.config.tlsSecurityProfile = {"type":"Modern","modern":{}}: TLS profile of the APIServer "cluster"',
    'spec.kubevirtIpamController.defaultNetworkNADNamespace = "openshift-ovn-kubernetes": namespace of the networks of OpenShift',
  ])
    assert.ok(lines.includes(line), line)
})

test('a value that an upgrade patch has set names the patch, until a user changes it', () => {
  const field = 'virtualization.liveMigrationConfig.completionTimeoutPerGiB'
  const record = (id: string, path: string, value: unknown): object => ({
    id,
    result: 'Applied',
    version: 'v0.2.0',
    changes: [{ path, ...(value === undefined ? {} : { value }) }],
  })
  const pointer = `/spec/${field.replaceAll('.', '/')}`
  const rows: readonly (readonly [what: string, stored: unknown, patches: readonly object[], because: string])[] = [
    // The new value is also the default of the schema.
    ['the value of the patch', 20, [record('a', pointer, 20)], `upgrade patch a to v0.2.0, of spec.${field}`],
    ["a user's later value", 30, [record('a', pointer, 20)], `spec.${field}`],
    [
      'the value of the last patch',
      30,
      [record('a', pointer, 20), record('b', pointer, 30)],
      `upgrade patch b to v0.2.0, of spec.${field}`,
    ],
    [
      'the value of a patch before the last',
      20,
      [record('a', pointer, 20), record('b', pointer, 30)],
      `default in the schema of spec.${field}`,
    ],
    [
      'a value within an object of a patch',
      30,
      [record('a', '/spec/virtualization/liveMigrationConfig', { completionTimeoutPerGiB: 30 })],
      `upgrade patch a to v0.2.0, of spec.${field}`,
    ],
    ['another field', 30, [record('a', `${pointer}s`, 30)], `spec.${field}`],
    ['a skipped patch', 20, [{ id: 'a', result: 'Skipped', version: 'v0.2.0', reason: 'x' }], `default in the schema of spec.${field}`],
    ['a field that was removed, and set by a user', 30, [record('a', pointer, undefined)], `spec.${field}`],
  ]
  for (const [what, stored, patches, because] of rows) {
    const patched = {
      ...hyperconverged,
      spec: { virtualization: { liveMigrationConfig: { completionTimeoutPerGiB: stored } } },
      status: { steadyvm: { upgrade: { from: 'v0.1.0', to: 'v0.2.0', stage: 'Complete', startedAt: '2026-01-01T00:00:00Z', patches } } },
    } as HyperConverged
    const found = explainHyperConverged({ hyperconverged: patched, nodes: [], kubevirt: undefined, overrides: [], now: 0 }, field)
    assert.deepEqual(
      found.map(({ source }) => phraseOf(source)),
      [because],
      what,
    )
  }
})
