import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '#api/flowcontrol/v1/flow-schema.ts'
import { suggestedLevels, suggestedSchemas } from '#apiserver/flow-control/suggested-objects.ts'
import { flowSchemaStrategy, priorityLevelStrategy } from './flow-control-strategy.ts'

type Faults = ReturnType<NonNullable<typeof flowSchemaStrategy.validate>>
const texts = (faults: Faults | undefined): string => (faults ?? []).map(({ field, message }) => `${field}: ${message}`).join('; ')
const ofSchema = (spec: FlowSchemaSpec, name = 'a'): string =>
  texts(flowSchemaStrategy.validate?.({ metadata: { name }, spec } as object, undefined))
const ofLevel = (spec: PriorityLevelConfigurationSpec, name = 'a'): string =>
  texts(priorityLevelStrategy.validate?.({ metadata: { name }, spec } as object, undefined))

const level = { priorityLevelConfiguration: { name: 'x' } }
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const queuing = (given: object) => ({ type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: given } } })

suite('strategies of flow control', () => {
  test('accept the suggested objects', () => {
    for (const { metadata, spec = {} } of suggestedSchemas) assert.equal(ofSchema(spec, metadata.name), '')
    for (const { metadata, spec = {} } of suggestedLevels) assert.equal(ofLevel(spec, metadata.name), '')
  })

  const cases: readonly [name: string, found: string, want: RegExp][] = [
    ['no level', ofSchema({}), /^spec\.priorityLevelConfiguration\.name: Required value: must reference a priority level$/],
    ['a late precedence', ofSchema({ ...level, matchingPrecedence: 10_001 }), /Invalid value: 10001: must not be greater than 10000$/],
    ['an early precedence', ofSchema({ ...level, matchingPrecedence: 0 }), /must be a positive value$/],
    ['the precedence of exempt', ofSchema({ ...level, matchingPrecedence: 1 }), /only the schema named 'exempt'/],
    ['an unknown method', ofSchema({ ...level, distinguisherMethod: { type: 'Z' } }), /supported values: "ByNamespace", "ByUser"$/],
    [
      'a rule without subjects',
      ofSchema({ ...level, rules: [{ resourceRules: [{ ...pods, clusterScope: true }] }] }),
      /subjects must contain/,
    ],
    [
      'a rule without requests',
      ofSchema({ ...level, rules: [{ subjects: [{ kind: 'User', user: { name: 'a' } }] }] }),
      /^spec\.rules\[0\]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty$/,
    ],
    [
      'a rule without scope',
      ofSchema({ ...level, rules: [{ subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [pods] }] }),
      /resourceRules\[0\]\.namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace$/,
    ],
    [
      'an unknown subject',
      ofSchema({ ...level, rules: [{ subjects: [{ kind: 'Foo' }], resourceRules: [{ ...pods, clusterScope: true }] }] }),
      /^spec\.rules\[0\]\.subjects\[0\]\.kind: Unsupported value: "Foo": supported values: "Group", "ServiceAccount", "User"$/,
    ],
    ['a change of exempt', ofSchema({ ...level, matchingPrecedence: 1 }, 'exempt'), /^spec: Invalid value: .*must equal the fixed value/],
    ['no type', ofLevel({}), /^spec\.type: Unsupported value: "": supported values: "Exempt", "Limited"$/],
    ['no limit', ofLevel({ type: 'Limited' }), /^spec\.limited: Required value: must not be empty when type is Limited$/],
    ['another exempt level', ofLevel({ type: 'Exempt' }), /type must be 'Exempt' if and only if name is 'exempt'$/],
    [
      'no queues',
      ofLevel({ type: 'Limited', limited: { limitResponse: { type: 'Queue' } } }),
      /queuing: Required value: must not be empty/,
    ],
    [
      'a hand larger than the deck',
      ofLevel(queuing({ queues: 2, handSize: 3 })),
      /handSize: Invalid value: 3: should not be greater than queues \(2\)$/,
    ],
    [
      'a change of catch-all',
      ofLevel({ type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }, 'catch-all'),
      /must equal the fixed value/,
    ],
  ]
  for (const [name, found, want] of cases) test(`refuse ${name}`, () => assert.match(found, want))
})
