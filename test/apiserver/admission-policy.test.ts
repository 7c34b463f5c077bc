import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import * as admission from '#api/admissionregistration/v1/resources.ts'
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { configMaps, namespaces } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { startTestApi, type TestApi } from '../support/api-server.ts'

const namespace = 'policed'
const aboutConfigMaps = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
}

// Policies and match conditions as those who write them see them: by what becomes of requests.
suite('CEL expressions in admission policies', () => {
  let server: TestApi
  let admin: Client
  let bob: Client
  before(async () => {
    server = await startTestApi()
    admin = server.api.client({ username: 'admin', groups: ['system:masters'] })
    bob = server.api.client({ username: 'bob', groups: ['system:authenticated'] })
    await admin.create(namespaces, { metadata: { name: namespace, labels: { policed: 'yes' } } })
  })
  after(() => server[Symbol.asyncDispose]())

  const withPolicy = async (
    spec: ValidatingAdmissionPolicySpec,
    binding: ValidatingAdmissionPolicyBindingSpec,
    run: () => Promise<void>,
  ): Promise<void> => {
    await admin.create(admission.validatingAdmissionPolicies, {
      metadata: { name: 'p' },
      spec: { matchConstraints: aboutConfigMaps, ...spec },
    })
    await admin.create(admission.validatingAdmissionPolicyBindings, {
      metadata: { name: 'b' },
      spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
    })
    try {
      await run()
    } finally {
      await admin.delete(admission.validatingAdmissionPolicies, { name: 'p' })
      await admin.delete(admission.validatingAdmissionPolicyBindings, { name: 'b' })
    }
  }
  let count = 0
  const create = (
    data: Record<string, string>,
    { as = admin, where = namespace }: { as?: Client; where?: string } = {},
  ): Promise<unknown> => as.create(configMaps, { metadata: { name: `c${count++}`, namespace: where }, data })
  const refused = (attempt: Promise<unknown>, code: number, wanted: string): Promise<void> =>
    assert.rejects(attempt, (error) => {
      assert.ok(error instanceof StatusError, String(error))
      assert.equal(error.code, code)
      assert.ok(error.message.endsWith(wanted), error.message)
      return true
    })
  const denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "

  test('reject invalid objects with the message of the policy', async () => {
    const validations = [
      { expression: 'size(object.data) < 2', message: 'too much' },
      { expression: "!('secret' in object.data)", messageExpression: "'no ' + object.data.secret", reason: 'Forbidden' },
      { expression: "object.data.all(k, k != 'odd')" },
    ]
    await withPolicy({ validations }, {}, async () => {
      await create({ a: '1' })
      await refused(create({ a: '1', b: '2' }), 422, `${denied}too much`)
      await refused(create({ secret: 'tea' }), 403, `${denied}no tea`)
      await refused(create({ odd: '1' }), 422, `${denied}failed expression: object.data.all(k, k != 'odd')`)
    })
    await create({ a: '1', b: '2' })
  })

  test('read the user, its rights, and the old object', async () => {
    const validations = [
      { expression: "request.userInfo.username == 'admin' || request.operation == 'UPDATE'", message: 'only the admin creates' },
      { expression: 'oldObject == null || oldObject.data == object.data', message: 'data stays' },
      { expression: "authorizer.group('').resource('secrets').namespace(request.namespace).check('get').allowed()", message: 'no secrets' },
      { expression: "authorizer.requestResource.check('delete').allowed()", message: 'may not delete' },
      { expression: "namespaceObject.metadata.labels.policed == 'yes'", message: 'wrong namespace' },
    ]
    await withPolicy({ validations }, {}, async () => {
      await refused(create({ a: '1' }, { as: bob }), 422, `${denied}only the admin creates`)
      await create({ a: '1' })
      const name = `c${count - 1}`
      await refused(admin.patch(configMaps, { name, namespace }, { type: 'merge', body: { data: { a: '2' } } }), 422, `${denied}data stays`)
      await refused(
        bob.patch(configMaps, { name, namespace }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }),
        422,
        `${denied}no secrets`,
      )
    })
  })

  test('read parameters, and variables that refer to earlier variables', async () => {
    await admin.create(configMaps, { metadata: { name: 'limits', namespace }, data: { most: '2' } })
    const spec: ValidatingAdmissionPolicySpec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [
        { name: 'most', expression: 'int(params.data.most)' },
        { name: 'found', expression: 'object.data.size()' },
        { name: 'over', expression: 'variables.found - variables.most' },
      ],
      validations: [{ expression: 'variables.over <= 0', messageExpression: "string(variables.over) + ' too many'" }],
    }
    await withPolicy(spec, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }, async () => {
      await create({ a: '1', b: '2' })
      await refused(create({ a: '1', b: '2', c: '3' }), 422, `${denied}1 too many`)
    })
    await withPolicy(spec, { paramRef: { name: 'nothing', parameterNotFoundAction: 'Allow' } }, async () => {
      await create({ a: '1', b: '2', c: '3' })
    })
    await withPolicy(spec, { paramRef: { name: 'nothing', parameterNotFoundAction: 'Deny' } }, () =>
      refused(
        create({}),
        422,
        `${denied}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
      ),
    )
  })

  test('apply only to requests that they match', async () => {
    const never = [{ expression: 'false', message: 'no' }]
    await withPolicy({ validations: never, matchConditions: [{ name: 'marked', expression: 'has(object.data.marked)' }] }, {}, async () => {
      await create({ a: '1' })
      await refused(create({ marked: '1' }), 422, `${denied}no`)
    })
    await withPolicy({ validations: never }, { matchResources: { namespaceSelector: { matchLabels: { policed: 'yes' } } } }, async () => {
      await create({ a: '1' }, { where: 'default' })
      await refused(create({ a: '1' }), 422, `${denied}no`)
    })
    await withPolicy({ validations: never }, { validationActions: ['Warn', 'Audit'] }, async () => {
      await create({ a: '1' })
    })
  })

  test('with a runtime error follow the failure policy', async () => {
    const validations = [{ expression: "object.data.nothing == 'x'" }]
    await withPolicy({ validations }, {}, () =>
      refused(create({ a: '1' }), 422, `${denied}expression 'object.data.nothing == 'x'' resulted in error: no such key: nothing`),
    )
    await withPolicy({ validations, failurePolicy: 'Ignore' }, {}, async () => {
      await create({ a: '1' })
    })
  })

  test('that do not terminate are aborted', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'v']))
    const bomb = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "")))'
    await withPolicy({ validations: [{ expression: bomb }] }, {}, () =>
      refused(create(many), 422, `${denied}validation failed due to running out of cost budget, no further validation rules will be run`),
    )
  })

  test('that do not compile are rejected', async () => {
    const policy = (spec: ValidatingAdmissionPolicySpec): Promise<ValidatingAdmissionPolicy> =>
      admin.create(admission.validatingAdmissionPolicies, {
        metadata: { name: 'bad' },
        spec: { matchConstraints: aboutConfigMaps, ...spec },
      })
    await assert.rejects(
      policy({ validations: [{ expression: 'object.data +' }] }),
      /spec\.validations\[0\]\.expression: Invalid value: "object\.data \+": compilation failed: ERROR: <input>:1:/,
    )
    await assert.rejects(policy({ validations: [{ expression: '1 + 1' }] }), /must evaluate to bool/)
    await assert.rejects(policy({ validations: [{ expression: 'request.wrong == 1' }] }), /undefined field 'wrong'/)
    await assert.rejects(policy({ validations: [] }), /validations or auditAnnotations must be specified/)
    const webhook = {
      name: 'w.policy.example',
      clientConfig: { url: 'https://127.0.0.1:1' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      matchConditions: [{ name: 'bad', expression: 'params.x' }],
    }
    await assert.rejects(
      admin.create(admission.validatingWebhookConfigurations, { metadata: { name: 'bad' }, webhooks: [webhook] }),
      /webhooks\[0\]\.matchConditions\[0\]\.expression: .*undeclared reference to 'params'/s,
    )
    await assert.rejects(
      admin.create(admission.validatingWebhookConfigurations, {
        metadata: { name: 'bad' },
        webhooks: [{ ...webhook, matchConditions: [], clientConfig: { url: 'http://127.0.0.1:1' }, timeoutSeconds: 31 }],
      }),
      /'https' is the only allowed URL scheme.*the timeout value must be between 1 and 30 seconds/s,
    )
  })

  test('skip webhooks as match conditions', async () => {
    // No server listens there, so that every call fails.
    const webhook = {
      name: 'w.policy.example',
      clientConfig: { url: 'https://127.0.0.1:1' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    }
    const matchConditions = [
      { name: 'marked', expression: 'has(object.data.marked)' },
      { name: 'not-admin', expression: "request.userInfo.username != 'admin'" },
    ]
    await admin.create(admission.validatingWebhookConfigurations, { metadata: { name: 'w' }, webhooks: [{ ...webhook, matchConditions }] })
    try {
      await create({ marked: '1' })
      await create({ a: '1' }, { as: bob })
      await assert.rejects(create({ marked: '1' }, { as: bob }), /failed calling webhook "w\.policy\.example"/)
    } finally {
      await admin.delete(admission.validatingWebhookConfigurations, { name: 'w' })
    }
  })
})
