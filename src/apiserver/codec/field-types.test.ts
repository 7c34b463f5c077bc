import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { checkFieldTypes, FieldTypeError } from './field-types.ts'

const definitions = builtinDefinitions()

function check(kind: string, object: Record<string, unknown>): void {
  const definition = definitions.find((each) => each.kind === kind)
  assert.ok(definition !== undefined, kind)
  checkFieldTypes(object, definition.schema, kind)
}

function deployment(container: object, spec: object = {}): Record<string, unknown> {
  return { spec: { ...spec, template: { spec: { containers: [{ name: 'a', ...container }] } } } }
}

suite('checkFieldTypes()', () => {
  const wrong: readonly [string, Record<string, unknown>, string][] = [
    ['Deployment', deployment({}, { replicas: '3' }), 'string into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['Deployment', deployment({}, { replicas: 1.5 }), 'number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32'],
    [
      'Deployment',
      deployment({}, { replicas: 2 ** 31 }),
      'number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    ['Deployment', deployment({ image: 1 }), 'number into Go struct field Container.spec.template.spec.containers.image of type string'],
    [
      'Deployment',
      deployment({ ports: {} }),
      'object into Go struct field Container.spec.template.spec.containers.ports of type []v1.ContainerPort',
    ],
    ['Pod', { spec: { hostNetwork: 'yes' } }, 'string into Go struct field PodSpec.spec.hostNetwork of type bool'],
    ['Pod', { spec: { nodeSelector: { a: 1 } } }, 'number into Go struct field PodSpec.spec.nodeSelector of type string'],
    ['Pod', { spec: [] }, 'array into Go struct field Pod.spec of type v1.PodSpec'],
    ['ConfigMap', { data: { a: true } }, 'bool into Go struct field ConfigMap.data of type string'],
    ['Service', { spec: { ports: [{ port: 'http' }] } }, 'string into Go struct field ServicePort.spec.ports.port of type int32'],
  ]
  for (const [kind, object, message] of wrong) {
    test(`${kind}: ${message}`, () => {
      assert.throws(
        () => check(kind, object),
        (error) => error instanceof FieldTypeError && error.message === `json: cannot unmarshal ${message}`,
      )
    })
  }

  const conversions: readonly [string, Record<string, unknown>, string][] = [
    ['ConfigMap', { data: 5 }, 'cannot restore map from int64'],
    ['ConfigMap', { data: { a: true } }, 'unrecognized type: string'],
    ['ConfigMap', { data: { a: 1 } }, 'cannot convert int64 to string'],
    ['Pod', { spec: [] }, 'cannot restore struct from: slice'],
    ['Pod', { spec: { containers: {} } }, 'cannot restore slice from map'],
    ['Pod', { spec: { hostNetwork: 'yes' } }, 'unrecognized type: bool'],
    ['Service', { spec: { ports: [{ port: 'http' }] } }, 'unrecognized type: int32'],
    ['Service', { spec: { ports: [{ port: 1.5 }] } }, 'cannot convert float64 to int32'],
  ]
  for (const [kind, object, conversion] of conversions) {
    test(`in a strategic patch of ${kind}: ${conversion}`, () => {
      assert.throws(
        () => check(kind, object),
        (error) => error instanceof FieldTypeError && error.conversion === conversion,
      )
    })
  }

  test('accepts valid objects and nulls', () => {
    check(
      'Deployment',
      deployment({ ports: [{ containerPort: 1 }], image: null }, { replicas: 3, strategy: { rollingUpdate: { maxSurge: '25%' } } }),
    )
    check('Service', { spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { a: 'b' } } })
  })
})
