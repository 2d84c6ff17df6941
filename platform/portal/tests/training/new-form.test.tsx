// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { EMPTY, type FormFields, type TrainingOptions } from "@/training/form";
import { NewTrainingForm } from "@/training/new-form";
import { problem, serve, show } from "../support/portal";

const LIMITS = {
  floor: { cpu: "1", memory: "1Gi" },
  default: { cpu: "4", memory: "8Gi" },
  ceiling: { cpu: "16", memory: "64Gi" },
  local_disk: "30Gi",
};

const OPTIONS = {
  home: "/home/ada",
  registry: "registry:5000",
  own_images: false,
  frameworks: [{ name: "numpy", title: "NumPy", distributed: true }],
  examples: [
    {
      name: "digits",
      framework: "numpy",
      code_directory: "examples/digits",
      start_file: "train.py",
      distributed: false,
    },
  ],
  limits_without_devices: null,
  virtual_clusters: [
    {
      name: "default",
      devices: [
        {
          type: "huawei_npu_arm64",
          counts: [0, 1, 2, 4, 8],
          distributed_counts: [8],
          max_nodes: 4,
          max_per_user: 4,
          free: 3,
          total: 8,
          limits: LIMITS,
        },
      ],
    },
  ],
} as unknown as TrainingOptions;

const START: FormFields = {
  ...EMPTY,
  name: "digits",
  virtual_cluster: "default",
  framework: "numpy",
  code_directory: "examples/digits",
  start_file: "train.py",
  device_type: "huawei_npu_arm64",
};

const ESTIMATE = {
  allowed: true,
  starts: "now",
  reason: { code: "starts_now", message: "", params: {} },
  ahead: 0,
  free: 3,
  total: 8,
  problems: [],
  uses: null,
};

const others = {
  "POST /api/v1/trainings/estimate": () => ESTIMATE,
  "GET /api/v1/home/files": () => ({ path: "", location: "/home/ada", items: [], next_cursor: null }),
};

function refused(...errors: Partial<Schemas["FieldError"]>[]): Response {
  return problem(422, "invalid_request", { errors: errors as Schemas["FieldError"][] });
}

async function form(start = START, options = OPTIONS) {
  const view = await show(<NewTrainingForm options={options} start={start} />, { at: "/training/new" });
  await screen.findByLabelText("CPU limit (cores)");
  return view;
}

/** The item of a field: its label, the field and what is said of it. */
function item(label: string): HTMLElement {
  return screen.getByLabelText(label).closest(".ant-form-item") as HTMLElement;
}

const created = (asked: Request[]) =>
  asked.filter((each) => each.method === "POST" && each.url.endsWith("/api/v1/trainings"));
const start = () => userEvent.click(screen.getByRole("button", { name: "Start training" }));

describe("a privileged job", () => {
  const offering = {
    ...OPTIONS,
    virtual_clusters: [
      { ...OPTIONS.virtual_clusters[0], privileged: true },
      { ...OPTIONS.virtual_clusters[0], name: "strict", privileged: false },
    ],
  } as TrainingOptions;

  test("is no choice where the server does not offer it", async () => {
    const asked = serve({ ...others, "POST /api/v1/trainings": () => refused() });
    await form();
    expect(screen.queryByRole("checkbox", { name: "Privilege Job" })).toBeNull();
    await start();
    await waitFor(() => expect(created(asked)).toHaveLength(1));
    expect(await created(asked)[0]?.json()).not.toHaveProperty("privileged");
  });

  test("is asked for when it is ticked, and told at the tick when it is refused", async () => {
    const asked = serve({
      ...others,
      "POST /api/v1/trainings": () => refused({ field: "privileged", code: "privileged_not_yours", message: "" }),
    });
    await form(START, offering);
    const tick = await screen.findByRole("checkbox", { name: "Privilege Job" });
    expect((tick as HTMLInputElement).checked).toBe(false);
    await userEvent.click(tick);
    await start();
    await waitFor(() => expect(created(asked)).toHaveLength(1));
    expect(await created(asked)[0]?.json()).toMatchObject({ privileged: true });
    expect(await screen.findByText(/Your roles do not let you/)).toBeTruthy();
  });

  test("that was one elsewhere is asked for only where it is offered", async () => {
    const asked = serve({ ...others, "POST /api/v1/trainings": () => refused() });
    await form({ ...START, virtual_cluster: "strict", privileged: true }, offering);
    await start();
    await waitFor(() => expect(created(asked)).toHaveLength(1));
    expect(await created(asked)[0]?.json()).not.toHaveProperty("privileged");
  });
});

describe("the form of a training", () => {
  test("names no device type where the virtual cluster has none, and says so", async () => {
    const asked = serve({ ...others, "POST /api/v1/trainings": () => refused() });
    await form(
      { ...START, limits: { cpu: "2", memory: "" } }, // an older task had a type
      {
        ...OPTIONS,
        limits_without_devices: LIMITS,
        virtual_clusters: [{ name: "default", devices: [], max_nodes: 3, privileged: false }],
      },
    );
    expect(screen.getByText(/has no accelerators/)).toBeTruthy();
    await start();
    await waitFor(() => expect(created(asked)).toHaveLength(1));
    const request = (await created(asked)[0]?.json()) as Record<string, unknown>;
    expect(request).toMatchObject({ devices: 0, limits: { cpu: "2", memory: "8Gi" } });
    expect(request).not.toHaveProperty("device_type");
  });

  test("shows what the server says of a field at that field, in the reader's language, and gives it the focus", async () => {
    serve({
      ...others,
      "POST /api/v1/trainings": () =>
        refused(
          { field: "limits.cpu", code: "limit_out_of_bounds", message: "?", params: { floor: "1", ceiling: "16" } },
          { field: "start_file", code: "new_in_the_next_version", message: "It is empty.", params: {} },
        ),
    });
    await form();
    await start();
    await waitFor(() => expect(item("CPU limit (cores)").textContent).toContain("Choose between 1 and 16."));
    expect(item("Start file").textContent).toContain("It is empty.");
    expect(item("Name").textContent).not.toContain("Choose between");
    expect(screen.getByLabelText("CPU limit (cores)").getAttribute("aria-invalid")).toBe("true");
  });

  test("finds a mistake in the third parameter there", async () => {
    serve({
      ...others,
      "POST /api/v1/trainings": () =>
        refused({ field: "parameters.1.name", code: "string_too_long", message: "", params: { max_length: 64 } }),
    });
    await form({
      ...START,
      parameters: [
        { name: "a", value: "" },
        { name: "b", value: "" },
      ],
    });
    await start();
    await waitFor(() => expect(item("Name of parameter 2").textContent).toContain("At most 64 characters."));
    expect(item("Name of parameter 1").textContent).not.toContain("At most");
  });

  test("says between which limits one may choose, and sends nothing that is no amount", async () => {
    const asked = serve({ ...others, "POST /api/v1/trainings": () => refused() });
    await form();
    expect(item("CPU limit (cores)").textContent).toContain("1 to 16");
    expect(screen.getByLabelText("Memory limit").getAttribute("placeholder")).toBe("8Gi");
    expect(screen.getByText(/own disk, .*: up to 30Gi/)).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Memory limit"), "8 gigs");
    await start();
    await waitFor(() => expect(item("Memory limit").textContent).toContain("Write for example"));
    expect(created(asked)).toEqual([]);
  });

  test("offers what the device type allows: counts, machines, and how many one user may hold", async () => {
    serve(others);
    await form();
    const counts = () =>
      within(screen.getByRole("radiogroup", { name: /^Devices/ }))
        .getAllByRole("radio")
        .map((radio) => (radio.closest("label") as HTMLElement).textContent);
    expect(counts()).toEqual(["CPU only", "1", "2", "4", "8"]);
    expect(screen.getByText("At most 4 per user")).toBeDefined();
    await userEvent.click(screen.getByText("Yes, several machines"));
    await waitFor(() => expect(counts()).toEqual(["8"]));
    expect((await screen.findByRole("spinbutton")).getAttribute("value")).toBe("2");
    expect(await screen.findByText("16")).toBeDefined(); // devices in all
  });

  test("asked again after an answer that was lost, it sends the same request under the same key", async () => {
    let answered = false;
    const asked = serve({
      ...others,
      "POST /api/v1/trainings": () => {
        if (!answered) return problem(503, "unavailable");
        return { id: "7", name: "digits" };
      },
    });
    const { router } = await form();
    await start();
    expect(await screen.findByText("Starting the training failed")).toBeDefined();
    answered = true;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/training/7"));
    const keys = created(asked).map((request) => request.headers.get("idempotency-key"));
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(await created(asked)[1]?.json()).toMatchObject({ name: "digits", framework: "numpy", devices: 0 });
  });

  test("says nothing of when it starts before a program is chosen", async () => {
    const asked = serve(others);
    await form({ ...EMPTY, virtual_cluster: "default", framework: "numpy", device_type: "huawei_npu_arm64" });
    const panel = await screen.findByRole("complementary", { name: "What would happen" });
    await new Promise((done) => setTimeout(done, 600)); // longer than it waits for the next key
    expect(panel.querySelector(".verdict")).toBeNull();
    expect(asked.filter((each) => each.url.endsWith("/estimate"))).toEqual([]);
    await userEvent.type(screen.getByLabelText("Start file"), "train.py");
    expect(await within(panel).findByText("Starts now")).toBeTruthy();
    await userEvent.clear(screen.getByLabelText("Start file"));
    await waitFor(() => expect(panel.querySelector(".verdict")).toBeNull());
  });

  test("asks of no program that it has not named yet", async () => {
    const asked = serve({ ...others, "GET /api/v1/images": () => ({ items: [], next_cursor: null }) });
    await form({ ...EMPTY, virtual_cluster: "default" }, { ...OPTIONS, own_images: true });
    await userEvent.click(screen.getByText("Own image"));
    await new Promise((done) => setTimeout(done, 600));
    await userEvent.type(screen.getByLabelText("Image"), "registry:5000/imported/tool:1");
    expect(await screen.findByText("Starts now")).toBeTruthy();
    const bodies = await Promise.all(
      asked.filter((each) => each.url.endsWith("/estimate")).map((each) => each.clone().json()),
    );
    expect(bodies.filter((each) => !each.image && !each.framework)).toEqual([]);
  });

  test("leaving it with unsaved input asks first", async () => {
    serve(others);
    const { router } = await form();
    await userEvent.type(screen.getByLabelText("Description"), "mine");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    const dialog = await screen.findByRole("dialog");
    expect(router.state.location.pathname).toBe("/training/new");
    await userEvent.click(within(dialog).getByRole("button", { name: "Leave" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/training"));
  });
});
