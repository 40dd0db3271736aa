import type { Area } from "../area.ts";

const TASK = {
  text: "Call back",
  commentary: "About the rope",
  performerId: 1,
  datetime: "2030-01-15 10:00",
  customer: { id: "$taskCustomer" },
  order: { id: 5001 },
};

export const TASKS: Area = {
  setting: [
    {
      call: "customersCreate",
      form: { site: "shop", customer: { externalId: "task-1", firstName: "Theo", lastName: "Tasker" } },
      keep: { taskCustomer: "id" },
    },
  ],
  operations: {
    tasksCreate: { form: { task: TASK, site: "shop" }, keep: { task: "id" } },
    tasksGet: { path: { id: "$task" } },
    tasksEdit: {
      path: { id: "$task" },
      form: { task: { text: "Called back", complete: true, customer: { id: "$taskCustomer" } } },
      refused: [{ form: { task: { performerId: 0 } } }],
    },
    tasksHistory: {},
    tasksGetComments: {
      path: { id: "$task" },
      before: [{ call: "POST /sandbox/agent/tasks/$task/comments", form: { text: "No answer" } }],
    },
    tasksList: {
      finds: { "filter[customer]": "Tasker", "filter[orderNumber]": "5001A" },
      never: {
        "?filter[creators][]": "a task of the API has no creator",
        "?filter[tags][]": "the contract's task has no tags",
        "?filter[attachedTags][]": "the contract's task has no tags",
      },
    },
  },
};
