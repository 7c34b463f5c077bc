import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type EmbeddedApi, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { kubectlsUnderTest, runCommand } from '../support/kubectl.ts'

// Who asks, and what may they: as every kubectl asks it.
const installed = kubectlsUnderTest()

suite('identity through kubectl', { skip: installed.length === 0 ? 'no kubectl is installed' : false }, () => {
  let directory: string
  let api: EmbeddedApi

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'identity-'))
    const authority = await createTestAuthority()
    const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
    api = await startEmbeddedApi({
      database: join(directory, 'state.db'),
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...serving, clientCa: authority.cert },
      tokens: [{ token: 'dave-token', username: 'dave', groups: ['dev'] }],
      version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => Date.now(),
      random: () => randomInt(2 ** 32) / 2 ** 32,
      log: { info: () => {}, warn: () => {}, error: (fields, message) => console.error(message, fields) },
    })
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const cluster = { server: api.server.url, 'certificate-authority-data': base64(authority.cert) }
    const users = [
      { name: 'admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } },
      { name: 'nobody', user: {} },
      { name: 'dave', user: { token: 'dave-token' } },
    ]
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'admin',
      contexts: users.map(({ name }) => ({ name, context: { cluster: 'test', user: name, namespace: 'default' } })),
      clusters: [{ name: 'test', cluster }],
      users,
    }
    await writeFile(join(directory, 'kubeconfig'), JSON.stringify(kubeconfig))
  })
  after(async () => {
    await api[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  for (const { version, path } of installed) {
    suite(version, { concurrency: false }, () => {
      const namespace = `v${version.replace('.', '-')}`
      const kubectl = (args: readonly string[], input?: string) => {
        const flags = ['--kubeconfig', join(directory, 'kubeconfig'), '--cache-dir', join(directory, version), '-n', namespace]
        return runCommand(path, [...flags, ...args], { input: input ?? '' })
      }
      const run = async (command: string, input?: string): Promise<string> => {
        const { code, stdout, stderr } = await kubectl(command.split(' '), input)
        assert.equal(code, 0, `kubectl ${command}: ${stdout}${stderr}`)
        return stdout
      }
      const fails = async (command: string, wanted: string, input?: string): Promise<void> => {
        const { code, stdout, stderr } = await kubectl(command.split(' '), input)
        assert.notEqual(code, 0, `kubectl ${command}: ${stdout}${stderr}`)
        assert.ok((stdout + stderr).includes(wanted), `kubectl ${command}: ${stdout}${stderr}`)
      }
      const can = async (question: string, answer: 'yes' | 'no'): Promise<void> => {
        const { code, stdout, stderr } = await kubectl(['auth', 'can-i', ...question.split(' ')])
        assert.equal(stdout.trim().split('\n').at(-1)?.split(' ')[0], answer, `can-i ${question}: ${stdout}${stderr}`)
        assert.equal(code, answer === 'yes' ? 0 : 1)
      }

      before(async () => {
        await run(`create namespace ${namespace}`)
        await run('create serviceaccount bot')
        await run('create role reader --verb=get,list --resource=configmaps,pods/log')
        await run('create role scaler --verb=update --resource=deployments.apps/scale --resource-name=web')
        await run(`create rolebinding reader --role=reader --serviceaccount=${namespace}:bot`)
        await run('create rolebinding scaler --role=scaler --user=sue')
        await run('create configmap c --from-literal=k=v')
      })

      test('issues a token that is valid until its service account is deleted', async () => {
        const token = (await run('create token bot --duration=20m')).trim()
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>
        assert.equal((claims['exp'] ?? 0) - (claims['iat'] ?? 0), 1200)
        const as = `--context=nobody --token=${token}`
        assert.match(await run(`get configmaps ${as}`), /^c /m)
        await fails(
          `get secrets ${as}`,
          `secrets is forbidden: User "system:serviceaccount:${namespace}:bot" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`,
        )
        assert.match(await run(`auth whoami ${as} -o json`), new RegExp(`"username": "system:serviceaccount:${namespace}:bot"`))
        const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
        const answer = JSON.parse(await run('create -f - -o json', JSON.stringify(review))) as { status: { authenticated: boolean } }
        assert.equal(answer.status.authenticated, true)
        await run('create serviceaccount short')
        const short = (await run('create token short')).trim()
        await run('delete serviceaccount short')
        await run('create serviceaccount short')
        await fails(`get configmaps --context=nobody --token=${short}`, 'Unauthorized')
        await run('delete serviceaccount short')
      })

      test('binds tokens to objects, and rejects invalid token requests', async () => {
        await run('create secret generic s')
        const token = (await run('create token bot --bound-object-kind=Secret --bound-object-name=s')).trim()
        assert.match(await run(`get configmaps --context=nobody --token=${token}`), /^c /m)
        await run('delete secret s')
        await fails(`get configmaps --context=nobody --token=${token}`, 'Unauthorized')
        await fails('create token bot --bound-object-kind=Secret --bound-object-name=s', 'secrets "s" not found')
        await fails('create token bot --duration=1m', 'may not specify a duration less than 10 minutes')
        await fails('create token missing', 'serviceaccounts "missing" not found')
        const foreign = (await run('create token bot --audience=vault')).trim()
        await fails(`get configmaps --context=nobody --token=${foreign}`, 'Unauthorized')
      })

      test('reports the current user', async () => {
        assert.match(await run('auth whoami'), /Username +admin/)
        assert.match(await run('auth whoami --context=dave'), /Groups +\[dev system:authenticated\]/)
        assert.match(
          await run('auth whoami --as=sue --as-group=ops --as-uid=7'),
          /Username +sue\s+UID +7\s+Groups +\[ops system:authenticated\]/,
        )
        assert.match(
          await run(`auth whoami --as=system:serviceaccount:${namespace}:bot`),
          /Groups +\[system:serviceaccounts system:serviceaccounts:[\w-]+ system:authenticated\]/,
        )
        await fails('get pods --context=dave --as=sue', 'users "sue" is forbidden: User "dave" cannot impersonate resource "users"')
      })

      test('reports the rights of a user', async () => {
        const bot = `--as=system:serviceaccount:${namespace}:bot`
        await can('create pods', 'yes')
        await can(`list configmaps ${bot}`, 'yes')
        await can(`delete configmaps ${bot}`, 'no')
        await can(`get pods --subresource=log ${bot}`, 'yes')
        await can(`list configmaps -A ${bot}`, 'no')
        await can('update deployments.apps/web --subresource=scale --as=sue', 'yes')
        await can('update deployments.apps/db --subresource=scale --as=sue', 'no')
        await can('get /version --as=sue', 'yes')
        await can('get /metrics --as=sue', 'no')
        await can('* *', 'yes')
        assert.match(await run(`auth can-i --list ${bot}`), /configmaps +\[\] +\[\] +\[get list\]/)
        assert.match(await run('auth can-i --list'), /\*\.\* +\[\] +\[\] +\[\*\]/)
      })

      test('aggregates the rules of other roles at once', async () => {
        const gathered = `gathered-${namespace}`
        await run(`create clusterrole ${gathered} --aggregation-rule=gather=${namespace}`)
        await run(`create clusterrolebinding ${gathered} --clusterrole=${gathered} --user=gita-${namespace}`)
        await can(`delete nodes --as=gita-${namespace}`, 'no')
        await run(`create clusterrole part-${namespace} --verb=delete --resource=nodes`)
        await run(`label clusterrole part-${namespace} gather=${namespace}`)
        await can(`delete nodes --as=gita-${namespace}`, 'yes')
        await run(`wait clusterrole ${gathered} --for=jsonpath={.rules[0].verbs[0]}=delete --timeout=10s`)
        await run(`label clusterrole part-${namespace} gather-`)
        await can(`delete nodes --as=gita-${namespace}`, 'no')
        // ClusterRoles for users are aggregated like this from the roles of operators.
        assert.match(await run('describe clusterrole view'), /virtualmachines|\*\.kubevirt\.io/)
        assert.match(await run('describe clusterrole admin'), /roles\.rbac\.authorization\.k8s\.io/)
        await run(`create rolebinding admin --clusterrole=admin --user=ada-${namespace}`)
        for (const question of [
          'create persistentvolumeclaims',
          'get secrets',
          'create roles',
          'update deployments',
          'get pods --subresource=log',
        ])
          await can(`${question} --as=ada-${namespace}`, 'yes')
        await can(`create nodes --as=ada-${namespace}`, 'no')
        await can(`update resourcequotas --as=ada-${namespace}`, 'no')
      })

      test('refuses to grant rights that the user does not hold', async () => {
        await run(`create rolebinding boss --clusterrole=admin --user=bob`)
        const as = '--as=bob --as-group=staff'
        await run(`create role own --verb=get --resource=pods ${as}`)
        await fails(
          `create role more --verb=get,delete --resource=nodes ${as}`,
          `roles.rbac.authorization.k8s.io "more" is forbidden: user "bob" (groups=["staff" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}`,
        )
        await fails(`create rolebinding up --clusterrole=cluster-admin --user=bob ${as}`, '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}')
        await run(`create rolebinding down --clusterrole=view --user=eve ${as}`)
        await fails(
          `patch rolebinding down --type=merge -p {"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"edit"}}`,
          'cannot change roleRef',
        )
        await fails('create role empty --verb=get --resource=unknown', `the server doesn't have a resource type "unknown"`)
        const rule =
          'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: u}\nrules: [{nonResourceURLs: [/x], verbs: [get]}]\n'
        await fails(
          'create -f -',
          'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs',
          rule,
        )
      })

      test('reconciles roles', async () => {
        const role = (verbs: string): string =>
          `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: kept, namespace: ${namespace}}
rules: [{apiGroups: [''], resources: [pods], verbs: [${verbs}]}]
`
        assert.match(await run('auth reconcile -f -', role('get')), /role.rbac.authorization.k8s.io\/kept reconciled/)
        await run('auth reconcile -f -', role('list'))
        assert.match(await run('describe role kept'), /pods +\[\] +\[\] +\[(get list|list get)\]/)
      })
    })
  }
})
