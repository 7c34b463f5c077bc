import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValidatingAdmissionPolicyStatus } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { type Loose, startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { keepTypeChecks } from './keep-type-checks.ts'

test('keepTypeChecks() reports each generation of a policy in its status', async () => {
  await using server = await startTestServer()
  const errors: unknown[] = []
  using _ = keepTypeChecks({ ...server, onError: (error) => void errors.push(error) })
  const plural = 'validatingadmissionpolicies'
  const spec = (expression: string): object => ({
    matchConstraints: {
      resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }],
    },
    validations: [{ expression }],
  })
  const checked = async (generation: number): Promise<Loose> => {
    for (;;) {
      const policy = await server.get(plural, 'a')
      if ((policy.status as ValidatingAdmissionPolicyStatus | undefined)?.observedGeneration === generation) return policy
      assert.deepEqual(errors, [])
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await server.create(plural, { metadata: { name: 'a' }, spec: spec('object.spec.colour == "red"') })
  const wrong = await checked(1)
  const { expressionWarnings = [] } = (wrong.status as ValidatingAdmissionPolicyStatus).typeChecking ?? {}
  assert.deepEqual(
    expressionWarnings.map(({ fieldRef }) => fieldRef),
    ['spec.validations[0].expression'],
  )
  assert.match(expressionWarnings[0]?.warning ?? '', /undefined field 'colour'/)
  await server.update(plural, { ...wrong, spec: spec('object.spec.color == "red"') })
  const right = await checked(2)
  assert.deepEqual(right.status, { observedGeneration: 2, typeChecking: {} })
})
