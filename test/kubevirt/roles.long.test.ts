import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userRoles } from '#api/access/user-roles.ts'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { startOracle } from './oracle.ts'

/** Roles for kinds that KubeVirt does not have: our own, and those of CDI that are served. */
const additions = ['steadyvm.io', 'cdi.kubevirt.io'].flatMap((group) => ['admin', 'edit', 'view'].map((role) => `${group}:${role}`))

/** Returns what rules grant, one line for each resource and verb. */
function grants(rules: readonly PolicyRule[]): string[] {
  const lines = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = ['*'], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${resource}.${group} ${name}`))),
    ),
  )
  return [...new Set(lines)].toSorted()
}

test("roles for users grant what upstream's grant, and others are ours alone", async (t) => {
  const started = await startOracle('roles')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const theirs = (await oracle.ask({})) as Record<string, PolicyRule[]>
  assert.deepEqual(
    userRoles.map(({ name }) => name).toSorted(),
    [...Object.keys(theirs), ...additions].toSorted(),
    'each role is one of upstream, or listed as an addition',
  )
  let compared = 0
  for (const [name, rules] of Object.entries(theirs)) {
    const ours = userRoles.find((role) => role.name === name)
    assert.deepEqual(grants(ours?.rules ?? []), grants(rules), name)
    compared += grants(rules).length
  }
  assert.ok(compared > 100)
  t.diagnostic(`${compared} rights of ${Object.keys(theirs).length} roles compared`)
})
