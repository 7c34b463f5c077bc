// Takes longer than 45 s: it boots guests, and moves one during an SSH session and a download.
import { suite, test } from 'node:test'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { steadyvmClient, userStory } from '../support/guests/guest-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine } from '../support/machine.ts'

suite('a first own VM', { skip: noKubectl || (podNetworkObstacle() ?? false) }, () => {
  test('is reached by SSH, reaches the outside, has a Service, and moves during a session and a download', async (t) => {
    await using machine = await startMachine({ nodes: 2 })
    await userStory(t, machine, steadyvmClient(machine))
  })
})
