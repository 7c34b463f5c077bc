import { accessOf, tasks, tektonTaskOf } from '#features/tasks/index.ts'
import { componentImage, thisRelease } from '#machine/release/release.ts'
import { toYaml } from '#apimachinery/json/yaml.ts'

/** The objects that Tekton needs to run tasks: text by path, relative to the root. */
export function renderTekton(): readonly (readonly [path: string, text: string])[] {
  const release = thisRelease()
  const imageOf = (name: string): string => componentImage(release, name)
  return tasks.flatMap((task) => [
    [`manifests/tekton/tasks/${task.name}.yaml`, documents([tektonTaskOf(task, { version: release.version, imageOf })])],
    [`manifests/tekton/rbac/${task.name}.yaml`, documents(accessOf(task))],
  ])
}

function documents(objects: readonly object[]): string {
  const head = '# Made by tools/generate from src/features/tasks. Do not edit: run `npm run generate`.\n'
  return head + objects.map(toYaml).join('---\n')
}
