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
