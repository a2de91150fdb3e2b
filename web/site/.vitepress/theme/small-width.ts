/** The width of an element, so that pictures are drawn in its pixels. */
import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue';

/** `usual` until the browser tells the real one. */
export function useWidth(usual: number): {
  stage: Ref<HTMLElement | undefined>;
  width: Ref<number>;
} {
  const stage = ref<HTMLElement>();
  const width = ref(usual);
  let resize: ResizeObserver | undefined;
  onMounted(() => {
    resize = new ResizeObserver(([entry]) => {
      // What is about to go has no width.
      width.value = Math.round(entry!.contentRect.width) || width.value;
    });
    resize.observe(stage.value!);
  });
  onBeforeUnmount(() => resize?.disconnect());
  return { stage, width };
}
