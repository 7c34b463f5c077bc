import { suite, test } from 'node:test'
import { noUnprivilegedNetwork } from '#machine/network/unprivileged.fixture.ts'
import { steadyvmClient, userStory } from '../support/guests/guest-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startUnprivilegedMachine } from '../support/unprivileged.ts'

suite('a first own VM, without root', { skip: noKubectl || noUnprivilegedNetwork() }, () => {
  test('is reached by SSH, reaches the outside, has a Service, and moves during a session and a download', async (t) => {
    await using machine = await startUnprivilegedMachine({ nodes: 2 })
    await userStory(t, machine, steadyvmClient(machine))
  })
})
